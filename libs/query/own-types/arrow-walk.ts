import { FlatTable } from '@app/arrow';
import { sayOwnTypes, type AnswerField } from './answer-field.js';
import type { AnswerWalk, HeldChunks } from './held-chunks.js';

/** The format's slots. */
const MESSAGE = { kind: 1, header: 2, bodyLength: 3 } as const;
const FIELD = { tag: 2, type: 3, children: 5 } as const;
const FIELDS_OF_SCHEMA = 1;
const SCHEMA_OF_FOOTER = 1;
const ZONE_OF_TIMESTAMP = 1;
const SCHEMA_MESSAGE = 1;
const [BINARY, UTF8, TIMESTAMP] = [4, 5, 10];

/** A mark and a length; a length of 0 ends the messages. */
const PREFIX_BYTES = 8;
/** A file begins with its mark and two zeros, and ends with a length and the mark. */
const FILE_HEAD_BYTES = 8;
const FILE_TAIL_BYTES = 10;

/**
 * Walks over Arrow's IPC format. The schema is its first message; a file repeats it in its footer.
 */
export class ArrowWalk implements AnswerWalk {
  private at: number;
  private inFooter = false;

  constructor(
    private readonly types: readonly string[],
    private readonly isFile: boolean,
  ) {
    this.at = isFile ? FILE_HEAD_BYTES : 0;
  }

  walk(held: HeldChunks, isWhole: boolean): number {
    while (!this.inFooter && this.at + PREFIX_BYTES <= held.end) {
      const from = this.at + PREFIX_BYTES;
      const length = held.bytes(this.at, from).readInt32LE(PREFIX_BYTES / 2);
      if (from + length > held.end) break;
      if (length === 0) {
        this.at = from;
        this.inFooter = true;
      } else this.message(held, from, length);
    }
    if (this.inFooter && !this.isFile) return held.end;
    if (isWhole && this.inFooter) this.footer(held);
    return isWhole ? held.end : this.at;
  }

  private message(held: HeldChunks, from: number, length: number): void {
    const bytes = held.bytes(from, from + length);
    const message = FlatTable.root(bytes);
    const schema = message.table(MESSAGE.header);
    if (message.uint8(MESSAGE.kind) === SCHEMA_MESSAGE && schema) {
      this.schema(schema, bytes);
      held.write(from, bytes);
    }
    this.at = from + length + Number(message.int64(MESSAGE.bodyLength));
  }

  private footer(held: HeldChunks): void {
    const bytes = held.bytes(this.at, held.end - FILE_TAIL_BYTES);
    const schema = FlatTable.root(bytes).table(SCHEMA_OF_FOOTER);
    if (schema) this.schema(schema, bytes);
    held.write(this.at, bytes);
  }

  private schema(schema: FlatTable, bytes: Buffer): void {
    const fields = schema.tables(FIELDS_OF_SCHEMA);
    this.types.forEach((type, at) => {
      const field = fields[at];
      if (field) sayOwnTypes(type, fieldOf(field, bytes));
    });
  }
}

function fieldOf(field: FlatTable, bytes: Buffer): AnswerField {
  const type = field.table(FIELD.type);
  const tag = field.uint8(FIELD.tag);
  const place = field.place(FIELD.tag);
  return {
    children: field.tables(FIELD.children).map((child) => fieldOf(child, bytes)),
    // The engine writes this zone for a type without one, because it is the session's.
    ...(tag === TIMESTAMP && { dropZone: () => type?.dropText(ZONE_OF_TIMESTAMP, 'UTC') }),
    // Both are written alike, so neither type needs a note.
    ...(tag === UTF8 && place !== undefined && { asBinary: () => bytes.writeUInt8(BINARY, place) }),
  };
}
