import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '@app/platform';
import { syncPathSync, writeDurablySync } from '@app/files';
import { overwrite, replaceWiped } from './wipe.js';
import { seal, unseal } from './seal.js';

const KEY_BYTES = 32;
const FORMER = 'former-key';

/** A key that another one has replaced. */
export interface FormerKey {
  readonly secret: Uint8Array;
  /** The position of the event by which the next key replaced it. */
  readonly until: bigint;
}

/**
 * The server's secret. Everything that must not be read from its files is sealed with a key
 * derived from it, one for each purpose. Lost, the passcodes and every person's data are lost.
 *
 * It may be changed. What was sealed with a former one it opens too, for the events have those,
 * sealed with the one that came next; what others find things by goes by the first one for ever.
 */
export class ServerKey {
  private readonly derived = new Map<string, Uint8Array>();
  /** The keys in the order in which they were in force. */
  private former: readonly { readonly key: ServerKey; readonly until: bigint }[] = [];

  /** @param secret 32 bytes */
  constructor(private readonly secret: Uint8Array) {
    if (secret.length !== KEY_BYTES) throw new Error(`a server key has ${KEY_BYTES} bytes`);
  }

  /**
   * Derives 32 bytes, always the same for the same purpose. They reveal nothing about the secret.
   */
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
    try {
      return this.unsealOwn(purpose, sealed, boundTo);
    } catch (error) {
      for (const { key } of this.former)
        try {
          return key.unsealOwn(purpose, sealed, boundTo);
        } catch {
          // The text was sealed with another key.
        }
      throw error;
    }
  }

  /**
   * Unseals a text that no former key has sealed, so nobody who has only a former key can have made
   * it.
   */
  unsealOwn(purpose: string, sealed: string, boundTo: string): string {
    return unseal(this.derive(purpose), sealed, boundTo);
  }

  /** HMAC-SHA-256 in hex. It shows whether two texts are equal, and nothing else about them. */
  fingerprint(purpose: string, text: string): string {
    return createHmac('sha256', this.derive(purpose)).update(text).digest('hex');
  }

  /**
   * Does the same with the first key, which never changes, for fingerprints that are stored and
   * cannot be computed anew.
   */
  lastingFingerprint(purpose: string, text: string): string {
    return (this.former[0]?.key ?? this).fingerprint(purpose, text);
  }

  /** Derives from the key that was in force at a position of the events. */
  deriveAt(purpose: string, position: bigint): Uint8Array {
    const inForce = this.former.find(({ until }) => position < until)?.key ?? this;
    return inForce.derive(purpose);
  }

  /** Adds the keys that were in force before this one, in order. */
  knowFormer(former: readonly FormerKey[]): void {
    this.former = former.map(({ secret, until }) => ({ key: new ServerKey(secret), until }));
  }

  /** Seals this key's secret for the key that follows it. */
  sealFor(next: ServerKey): string {
    return next.seal(FORMER, Buffer.from(this.secret).toString('base64'), FORMER);
  }

  /** @returns the secret of the key before. @throws when it was not sealed for this one */
  openFormer(sealed: string): Uint8Array {
    return Buffer.from(this.unsealOwn(FORMER, sealed, FORMER), 'base64');
  }
}

const FILE = 'secret-key';
const NEXT = 'secret-key.next';

/**
 * Opens the server's key: it is derived from `secret` (32 bytes of the configuration), or from the
 * file `<directory>/secret-key`, which only its owner can read. The events tell whether it is the
 * right key.
 * @param mayMake whether a key may be made: only while nothing is sealed with another
 * @throws {Error} when there is no key and none may be made, or the file holds no key.
 */
export function openServerKey(
  directory: string,
  secret: Uint8Array | undefined,
  mayMake: boolean,
): ServerKey {
  return new ServerKey(secret ?? keptSecret(directory, mayMake));
}

/** The key in `<directory>/secret-key`. @throws as {@link openServerKey} */
export function keptSecret(directory: string, mayMake = false): Uint8Array {
  const file = join(directory, FILE);
  if (!existsSync(file)) {
    if (!mayMake)
      throw new OperatorError(
        `there is no secret key, and the events were written with one: set MILLRACE_SECRET_KEY to it, or restore ${file}`,
      );
    writeDurablySync(file, Buffer.from(randomBytes(KEY_BYTES).toString('base64')));
  }
  return readSecret(file);
}

/** @throws when the file holds no key */
export function readSecret(file: string): Uint8Array {
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  if (key.length !== KEY_BYTES)
    throw new OperatorError(
      `${file} holds no key of ${KEY_BYTES} bytes in base64; restore it, or set MILLRACE_SECRET_KEY to your copy of the key`,
    );
  return key;
}

/**
 * The key that will follow, stored in `<directory>/secret-key.next`: the existing one, or `given`,
 * or a new one.
 * @throws {Error} when a key other than `given` exists there: it may be in force, and this is its
 *   only copy
 */
export function nextSecret(
  directory: string,
  given: Uint8Array | undefined,
): { readonly next: Uint8Array; readonly isNew: boolean } {
  const file = join(directory, NEXT);
  const isNew = !existsSync(file);
  if (isNew) {
    const written = Buffer.from(given ?? randomBytes(KEY_BYTES));
    writeDurablySync(file, Buffer.from(written.toString('base64')));
  }
  const next = readSecret(file);
  if (given && !isSameSecret(given, next))
    throw new OperatorError(
      `a change of the key was broken off, and its new key is in ${file}: run it once more without --new-key-file, and change the key again after that`,
    );
  return { next, isNew };
}

/** Deletes the next key, which has sealed nothing. */
export function dropNextSecret(directory: string): void {
  const file = join(directory, NEXT);
  if (!existsSync(file)) return;
  overwrite(file);
  unlinkSync(file);
  syncPathSync(directory);
}

export const isSameSecret = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b);

/** Makes the next key the one in `<directory>/secret-key`. */
export function takeNextSecret(directory: string): void {
  replaceWiped(join(directory, NEXT), join(directory, FILE));
}
