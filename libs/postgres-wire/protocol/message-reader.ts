import { BOUNDS } from './postgres-bounds.js';
import { PostgresError, violation } from './protocol-error.js';

/** A message of a client: its type, and its content. The first message has no type. */
export interface Message {
  readonly type: string;
  readonly body: Buffer;
}

const LENGTH_BYTES = 4;

/**
 * Cuts the client's bytes into messages. A length is compared with its limit before it is used, and
 * no memory is allocated before its bytes have arrived.
 */
export class MessageReader {
  private chunks: Buffer[] = [];
  private bytes = 0;
  private isStarted = false;

  /** @param longest the longest message, until longer ones are allowed */
  constructor(private longest: number = BOUNDS.startupBytes) {}

  /** From here on, each message begins with a type. */
  start(): void {
    this.isStarted = true;
  }

  /** From here on, messages may be as long as statements. */
  admit(): void {
    this.longest = BOUNDS.messageBytes;
  }

  add(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
  }

  /** The bytes that were not read yet. */
  get waiting(): number {
    return this.bytes;
  }

  /** The next message; undefined if it is not complete yet. @throws {PostgresError} FATAL */
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

  /** The first chunk, joined so that it has at least so many bytes. */
  private atLeast(size: number): Buffer {
    const [first = Buffer.alloc(0)] = this.chunks;
    if (first.length >= size) return first;
    const joined = Buffer.concat(this.chunks);
    this.chunks = [joined];
    return joined;
  }
}
