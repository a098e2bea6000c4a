import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '@app/platform';
import { syncPathSync, writeDurablySync } from '@app/files';
import { overwrite, replaceWiped } from './wipe.js';
import { seal, unseal } from './seal.js';

const KEY_BYTES = 32;
const FORMER = 'former-key';

/** A key that was followed by another one. */
export interface FormerKey {
  readonly secret: Uint8Array;
  /** The position of the event by which the other one took its place. */
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
  /** The first one first. */
  private former: readonly { readonly key: ServerKey; readonly until: bigint }[] = [];

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

  /** HMAC-SHA-256 in hex: says whether two texts are the same, and nothing else about them. */
  fingerprint(purpose: string, text: string): string {
    return createHmac('sha256', this.derive(purpose)).update(text).digest('hex');
  }

  /** The same, whatever the key is changed to: for what is found by it and cannot be written anew. */
  lastingFingerprint(purpose: string, text: string): string {
    return (this.former[0]?.key ?? this).fingerprint(purpose, text);
  }

  /** Derives from the key that was in force at a position of the events. */
  deriveAt(purpose: string, position: bigint): Uint8Array {
    const inForce = this.former.find(({ until }) => position < until)?.key ?? this;
    return inForce.derive(purpose);
  }

  /** Makes the key know those that were in force before it, the first one first. */
  knowFormer(former: readonly FormerKey[]): void {
    this.former = former.map(({ secret, until }) => ({ key: new ServerKey(secret), until }));
  }

  /** This one, for the one that follows it. */
  sealFor(next: ServerKey): string {
    return next.seal(FORMER, Buffer.from(this.secret).toString('base64'), FORMER);
  }

  /** @returns the secret of the one before. @throws when it was not sealed for this one */
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

/** The one in `<directory>/secret-key`. @throws as {@link openServerKey} */
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
 * The key that is to follow, which `<directory>/secret-key.next` has from now on: the one that is
 * there, or `given`, or a new one.
 * @throws {Error} when another one than `given` is there: it may be in force, and that is its only copy
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

/** Forgets the next key, with which nothing is sealed. */
export function dropNextSecret(directory: string): void {
  const file = join(directory, NEXT);
  if (!existsSync(file)) return;
  overwrite(file);
  unlinkSync(file);
  syncPathSync(directory);
}

export const isSameSecret = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b);

/** The next key is the one in `<directory>/secret-key` when this resolves. */
export function takeNextSecret(directory: string): void {
  replaceWiped(join(directory, NEXT), join(directory, FILE));
}
