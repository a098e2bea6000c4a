import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { PostgresError, violation } from './protocol-error.js';

/**
 * The derived secret of a password that a server stores. It can verify a password, and cannot be
 * used in its place.
 */
export interface ScramVerifier {
  readonly salt: Buffer;
  readonly iterations: number;
  readonly storedKey: Buffer;
  readonly serverKey: Buffer;
}

export const SCRAM = 'SCRAM-SHA-256';
const ITERATIONS = 4096;
const SALT_BYTES = 16;
const NONCE_BYTES = 18;
const KEY_BYTES = 32;

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

export async function scramVerifier(password: string): Promise<ScramVerifier> {
  const salt = randomBytes(SALT_BYTES);
  const normal = password.normalize('NFKC');
  const salted = await promisify(pbkdf2)(normal, salt, ITERATIONS, KEY_BYTES, 'sha256');
  return {
    salt,
    iterations: ITERATIONS,
    storedKey: sha256(hmac(salted, 'Client Key')),
    serverKey: hmac(salted, 'Server Key'),
  };
}

/** One exchange of SCRAM-SHA-256 (RFC 5802, RFC 7677), without channel binding. */
export class ScramExchange {
  private first = '';
  private header = '';
  private challenge = '';
  private nonce = '';

  constructor(private readonly verifier: ScramVerifier) {}

  /**
   * @param message the client's first message.
   * @returns the server's challenge.
   * @throws {PostgresError} FATAL
   */
  begin(message: string): string {
    const [, header = '', bare = '', nonce = ''] =
      /^([ny],(?:a=[^,]*)?,)((?:m=[^,]*,)?n=[^,]*,r=([!-+\--~]{1,200}).*)$/.exec(message) ?? [];
    if (nonce === '') throw violation('the first message of SCRAM is not understood');
    const { salt, iterations } = this.verifier;
    this.first = bare;
    this.header = header;
    this.nonce = nonce + randomBytes(NONCE_BYTES).toString('base64');
    this.challenge = `r=${this.nonce},s=${salt.toString('base64')},i=${iterations}`;
    return this.challenge;
  }

  /**
   * @param message the client's last message.
   * @returns the server's own proof.
   * @throws {PostgresError} FATAL
   */
  finish(message: string): string {
    const [, bare = '', header = '', nonce = '', proof = ''] =
      /^(c=([A-Za-z0-9+/=]*),r=([!-+\--~]*)),p=([A-Za-z0-9+/=]+)$/.exec(message) ?? [];
    const isOurs =
      nonce !== '' &&
      nonce === this.nonce &&
      Buffer.from(header, 'base64').toString('latin1') === this.header;
    if (!isOurs) throw violation('the last message of SCRAM is not understood');
    const { storedKey, serverKey } = this.verifier;
    const text = `${this.first},${this.challenge},${bare}`;
    const signature = hmac(storedKey, text);
    const shown = Buffer.from(proof, 'base64');
    if (shown.length !== KEY_BYTES) throw wrongPassword();
    const key = Buffer.from(signature.map((byte, at) => byte ^ shown.readUInt8(at)));
    if (!timingSafeEqual(sha256(key), storedKey)) throw wrongPassword();
    return `v=${hmac(serverKey, text).toString('base64')}`;
  }
}

const wrongPassword = (): PostgresError =>
  new PostgresError('28P01', 'the password is missing or wrong', { severity: 'FATAL' });
