import { isUtf8 } from 'node:buffer';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { MillraceError } from '@app/platform';
import { malformed } from './malformed.js';
import { ReadBounds } from './read-bounds.js';

/**
 * Reads protobuf's wire format within bounds. Nothing is allocated by a length that a message only
 * claims: a field is a view of bytes that are there.
 */
export class WireReader extends BinaryReader {
  readonly bounds = new ReadBounds();
  /** Tells where the message that is being read ends. */
  private limit: number;

  constructor(readonly message: Buffer) {
    super(message, exactText);
    this.limit = message.length;
  }

  get atEnd(): boolean {
    if (this.pos > this.limit) throw malformed('the protobuf message is cut off');
    return this.pos === this.limit;
  }

  /** Reads the message, or the packed list, that is next. `read` has to read all of it. */
  nested<T>(read: (reader: this) => T): T {
    const length = this.uint32();
    const end = this.pos + length;
    if (end > this.limit) throw malformed('the protobuf message is cut off');
    const outer = this.limit;
    this.limit = end;
    this.bounds.enter();
    const value = read(this);
    this.bounds.leave();
    if (this.pos !== end)
      throw malformed('a part of the protobuf message does not end where it says');
    this.limit = outer;
    return value;
  }

  /** Tells where the message that is being read ends. */
  get end(): number {
    return this.limit;
  }

  /** Continues at another place. The bytes in between belong to the same message. */
  moveTo(from: number, end: number): void {
    this.pos = from;
    this.limit = end;
  }

  /**
   * Skips a field's value. Unlike the library's `skip`, it makes no view of it, which would cost
   * more than all else.
   */
  pass(wireType: WireType, number: number): void {
    this.bounds.step();
    if (wireType === WireType.LengthDelimited) {
      const length = this.uint32();
      this.pos += length;
    } else if (wireType === WireType.Varint) this.bool();
    else if (wireType === WireType.Bit64) this.pos += 8;
    else if (wireType === WireType.Bit32) this.pos += 4;
    else if (wireType === WireType.StartGroup) this.passGroup(number);
    else throw malformed('the protobuf message ends a group that it does not begin');
  }

  private passGroup(number: number): void {
    this.bounds.enter();
    for (;;) {
      const [found, wireType] = this.tag();
      if (wireType !== WireType.EndGroup) this.pass(wireType, found);
      else if (found === number) break;
      else throw malformed('the protobuf message ends another group than it began');
    }
    this.bounds.leave();
  }
}

/** Texts of protobuf are UTF-8. Other bytes are not a valid value. */
function exactText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  if (text.includes('\ufffd') && !isUtf8(bytes))
    throw malformed('a text of the protobuf message is not UTF-8');
  return text;
}

/**
 * @returns the library's error for invalid bytes as our client sees it; other errors as they are
 */
export function wireFailure(error: unknown): unknown {
  if (error instanceof MillraceError || error instanceof TypeError) return error;
  return malformed(`the body is no such protobuf message: ${(error as Error).message}`);
}
