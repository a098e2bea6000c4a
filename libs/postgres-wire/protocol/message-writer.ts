import type { PostgresError } from './protocol-error.js';
import type { Format } from './front-messages.js';

/** A column as it is described to a client. */
export interface FieldDescription {
  readonly name: string;
  /** OID of its type. */
  readonly type: number;
  /** Bytes of a value; -1: of any length. */
  readonly size: number;
  readonly modifier: number;
}

export type TransactionStatus = 'I' | 'T' | 'E';

const LENGTH_BYTES = 4;
const FIRST_BYTES = 4096;

/** Builds messages for a client, one behind the other. */
export class MessageWriter {
  private buffer = Buffer.allocUnsafe(FIRST_BYTES);
  private at = 0;
  private begun = 0;

  /** The number of bytes that were built so far. */
  get length(): number {
    return this.at;
  }

  /** Returns all bytes, and starts anew. */
  take(): Buffer {
    const taken = this.buffer.subarray(0, this.at);
    this.buffer = Buffer.allocUnsafe(FIRST_BYTES);
    this.at = 0;
    return taken;
  }

  /** Removes everything behind this length. */
  cut(length: number): void {
    this.at = length;
  }

  begin(type: string): this {
    this.room(1 + LENGTH_BYTES);
    this.buffer[this.at] = type.charCodeAt(0);
    this.begun = this.at + 1;
    this.at += 1 + LENGTH_BYTES;
    return this;
  }

  end(): this {
    this.buffer.writeInt32BE(this.at - this.begun, this.begun);
    return this;
  }

  int16(value: number): this {
    this.room(2);
    this.at = this.buffer.writeInt16BE(value, this.at);
    return this;
  }

  int32(value: number): this {
    this.room(4);
    this.at = this.buffer.writeInt32BE(value, this.at);
    return this;
  }

  uint32(value: number): this {
    this.room(4);
    this.at = this.buffer.writeUInt32BE(value >>> 0, this.at);
    return this;
  }

  bytes(bytes: Uint8Array): this {
    this.room(bytes.length);
    this.buffer.set(bytes, this.at);
    this.at += bytes.length;
    return this;
  }

  /** Writes a text that ends with a zero. A zero within it would end it earlier. */
  text(text: string): this {
    return this.bytes(Buffer.from(`${text.replaceAll('\0', '')}\0`));
  }

  /** Writes a value of a row, after its length. */
  value(value: Uint8Array | null): this {
    if (value === null) return this.int32(-1);
    return this.int32(value.length).bytes(value);
  }

  empty(type: string): this {
    return this.begin(type).end();
  }

  complete(tag: string): this {
    return this.begin('C').text(tag).end();
  }

  ready(status: TransactionStatus): this {
    return this.begin('Z').bytes(Buffer.from(status)).end();
  }

  parameterStatus(name: string, value: string): this {
    return this.begin('S').text(name).text(value).end();
  }

  rowDescription(fields: readonly FieldDescription[], formats: readonly Format[]): this {
    this.begin('T').int16(fields.length);
    fields.forEach(({ name, type, size, modifier }, at) => {
      this.text(name).int32(0).int16(0).uint32(type).int16(size).int32(modifier);
      this.int16(formats[at] === 'binary' ? 1 : 0);
    });
    return this.end();
  }

  parameterDescription(types: readonly number[]): this {
    this.begin('t').int16(types.length);
    for (const type of types) this.uint32(type);
    return this.end();
  }

  /** @param position of the character, from 1 */
  error({ severity, state, message, hint }: PostgresError, position?: number): this {
    this.begin('E');
    const field = (code: string, text: string): void =>
      void this.bytes(Buffer.from(code)).text(text);
    field('S', severity);
    field('V', severity);
    field('C', state);
    field('M', message);
    if (hint !== undefined) field('H', hint);
    if (position !== undefined) field('P', String(position));
    return this.bytes(Buffer.from([0])).end();
  }

  notice(state: string, message: string): this {
    this.begin('N');
    for (const [code, text] of [
      ['S', 'WARNING'],
      ['V', 'WARNING'],
      ['C', state],
      ['M', message],
    ] as const)
      // prettier-ignore
      this.bytes(Buffer.from(code)).text(text);
    return this.bytes(Buffer.from([0])).end();
  }

  private room(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + bytes));
    this.buffer.copy(larger, 0, 0, this.at);
    this.buffer = larger;
  }
}
