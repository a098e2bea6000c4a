import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
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

/**
 * Opens the key of a data directory: `secret` (from the configuration, 32 bytes) or the one in
 * `<directory>/secret-key`, made at the first start, readable by its owner only.
 * @throws {Error} when the directory was written with another key.
 */
export function openServerKey(directory: string, secret: Uint8Array | undefined): ServerKey {
  const key = new ServerKey(secret ?? keptSecret(join(directory, 'secret-key')));
  const check = join(directory, 'secret-key.check');
  const mark = Buffer.from(key.fingerprint('check', 'millrace'));
  if (!existsSync(check)) writeDurablySync(check, mark);
  const kept = readFileSync(check);
  if (kept.length !== mark.length || !timingSafeEqual(kept, mark)) {
    throw new Error(
      secret
        ? 'MILLRACE_SECRET_KEY is not the key that this data directory was written with'
        : 'the file secret-key is not the key that this data directory was written with; set MILLRACE_SECRET_KEY if that had it',
    );
  }
  return key;
}

function keptSecret(file: string): Uint8Array {
  if (!existsSync(file))
    writeDurablySync(file, Buffer.from(randomBytes(KEY_BYTES).toString('base64')));
  return Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
}
