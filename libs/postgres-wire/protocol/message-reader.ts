import { BOUNDS } from './postgres-bounds.js';
import { PostgresError, violation } from './protocol-error.js';

/**
 * A message of a client: its type, and the content behind its length. The first message has no
 * type.
 */
export interface Message {
  readonly type: string;
  readonly body: Buffer;
}

const LENGTH_BYTES = 4;

/**
 * Cuts what comes into messages. No length that a message claims is believed before it is compared
 * with its bound, and no memory is taken before its bytes are there.
 */
export class MessageReader {
  private chunks: Buffer[] = [];
  private bytes = 0;
  private isStarted = false;

  /** @param longest bytes of a message, until more are admitted */
  constructor(private longest: number = BOUNDS.startupBytes) {}

  /** Reads a type at the beginning of each message from here on. */
  start(): void {
    this.isStarted = true;
  }

  /** Allows messages as long as statements may be from here on. */
  admit(): void {
    this.longest = BOUNDS.messageBytes;
  }

  add(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
  }

  /** Bytes that wait. */
  get waiting(): number {
    return this.bytes;
  }

  /** The next one; undefined while it is not whole. @throws {PostgresError} FATAL */
  next(): Message | undefined {
    const typeBytes = this.isStarted ? 1 : 0;
    const head = typeBytes + LENGTH_BYTES;
    if (this.bytes < head) return undefined;
    const first = this.atLeast(head);
    const length = first.readUInt32BE(typeBytes);
    if (length < LENGTH_BYTES) throw violation('a message says that it is shorter than its length');
    if (length > this.longest)
      throw new PostgresError(
        this.isStarted ? '54000' : '08P01',
        `a message may have at most ${this.longest} bytes here`,
        { severity: 'FATAL' },
      );
    const size = typeBytes + length;
    if (this.bytes < size) return undefined;
    const whole = this.atLeast(size);
    const type = this.isStarted ? String.fromCharCode(whole.readUInt8()) : '';
    const body = whole.subarray(head, size);
    this.chunks =
      whole.length > size ? [whole.subarray(size), ...this.chunks.slice(1)] : this.chunks.slice(1);
    this.bytes -= size;
    return { type, body };
  }

  /** The first chunk, which holds so many bytes then. */
  private atLeast(size: number): Buffer {
    const [first = Buffer.alloc(0)] = this.chunks;
    if (first.length >= size) return first;
    const joined = Buffer.concat(this.chunks);
    this.chunks = [joined];
    return joined;
  }
}
