import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurablySync } from '@app/platform';
import { seal, unseal } from './seal.js';

const KEY_BYTES = 32;

/**
 * The server's secret. Everything that must not be read from its files is sealed with a key
 * derived from it, one for each purpose. Lost, the passcodes and every person's data are lost.
 */
export class ServerKey {
  private readonly derived = new Map<string, Uint8Array>();

  /** @param secret 32 bytes */
  constructor(private readonly secret: Uint8Array) {
    if (secret.length !== KEY_BYTES) throw new Error(`a server key has ${KEY_BYTES} bytes`);
  }

  /** The same 32 bytes for the same purpose; nothing about the secret can be learned from them. */
  derive(purpose: string): Uint8Array {
    let key = this.derived.get(purpose);
    if (!key) {
      const salt = 'millrace';
      key = new Uint8Array(hkdfSync('sha256', this.secret, salt, purpose, KEY_BYTES));
      this.derived.set(purpose, key);
    }
    return key;
  }

  seal(purpose: string, text: string, boundTo: string): string {
    return seal(this.derive(purpose), text, boundTo);
  }

  unseal(purpose: string, sealed: string, boundTo: string): string {
    return unseal(this.derive(purpose), sealed, boundTo);
  }

  /** HMAC-SHA-256 in hex: says whether two texts are the same, and nothing else about them. */
  fingerprint(purpose: string, text: string): string {
    return createHmac('sha256', this.derive(purpose)).update(text).digest('hex');
  }
}

const FILE = 'secret-key';

/**
 * The key that `secret` (from the configuration, 32 bytes) gives, or the one in
 * `<directory>/secret-key`, readable by its owner only. Whether it is the right one the events tell.
 * @param mayMake whether a key may be made: only while nothing is sealed with another
 * @throws {Error} when there is none and none may be made, or the file holds no key.
 */
export function openServerKey(
  directory: string,
  secret: Uint8Array | undefined,
  mayMake: boolean,
): ServerKey {
  return new ServerKey(secret ?? keptSecret(directory, mayMake));
}

/** The one in `<directory>/secret-key`. @throws as {@link openServerKey} */
export function keptSecret(directory: string, mayMake = false): Uint8Array {
  const file = join(directory, FILE);
  if (!existsSync(file)) {
    if (!mayMake)
      throw new Error(
        `there is no secret key, and the events were written with one: set MILLRACE_SECRET_KEY to it, or restore ${file}`,
      );
    writeDurablySync(file, Buffer.from(randomBytes(KEY_BYTES).toString('base64')));
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  if (key.length !== KEY_BYTES)
    throw new Error(
      `${file} holds no key of ${KEY_BYTES} bytes in base64; restore it, or set MILLRACE_SECRET_KEY to your copy of the key`,
    );
  return key;
}
