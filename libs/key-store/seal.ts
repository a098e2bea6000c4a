import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1.';

/**
 * Encrypts a text (AES-256-GCM) so that it opens only with the same key and for the same purpose.
 * @param key 32 bytes
 * @param boundTo the place that the text belongs to (associated data): it does not open in another
 *   place
 * @returns `v1.` and base64url of nonce, tag and ciphertext
 */
export function seal(key: Uint8Array, text: string, boundTo: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(boundTo));
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

/**
 * @throws {Error} when it was sealed with another key or for another purpose, or was changed since.
 */
export function unseal(key: Uint8Array, sealed: string, boundTo: string): string {
  if (!sealed.startsWith(VERSION)) throw new Error('this is not a sealed text');
  const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(boundTo))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
  // It returns no more text, and throws if the tag differs.
  decipher.final();
  return text.toString('utf8');
}
