import { violation } from './protocol-error.js';

const SIZES = { 2: 'readInt16BE', 4: 'readInt32BE' } as const;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the fields of a message one by one.
 * @throws {PostgresError} FATAL if the message ends too soon
 */
export class BodyReader {
  private at = 0;

  constructor(private readonly body: Buffer) {}

  /** Reads a text that ends with a zero. */
  text(): string {
    const end = this.body.indexOf(0, this.at);
    if (end === -1) throw violation('a text of a message has no end');
    const bytes = this.body.subarray(this.at, end);
    this.at = end + 1;
    return utf8(bytes);
  }

  int16(): number {
    return this.integer(2);
  }

  int32(): number {
    return this.integer(4);
  }

  /** Reads the number of following items, each of at least so many bytes. */
  count(bytesEach: number): number {
    const count = this.int16() & 0xffff;
    if (count * bytesEach > this.body.length - this.at)
      throw violation('a message says that it holds more than it does');
    return count;
  }

  bytes(length: number): Buffer {
    if (length < 0 || length > this.body.length - this.at)
      throw violation('a message is shorter than what it says');
    this.at += length;
    return this.body.subarray(this.at - length, this.at);
  }

  rest(): Buffer {
    return this.bytes(this.body.length - this.at);
  }

  /** @throws {PostgresError} if bytes are left over */
  end(): void {
    if (this.at !== this.body.length) throw violation('a message is longer than what it holds');
  }

  private integer(size: 2 | 4): number {
    if (this.at + size > this.body.length)
      throw violation('a message is shorter than what it says');
    this.at += size;
    return this.body[SIZES[size]](this.at - size);
  }
}

/** @throws {PostgresError} FATAL */
export function utf8(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw violation('a text of a message is not UTF-8, which is the only encoding here');
  }
}
