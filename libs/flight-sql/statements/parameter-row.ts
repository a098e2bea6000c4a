import type { FlatTable } from '@app/arrow';
import { BOUNDS } from '../flight-sql-bounds.js';
import { unfit } from '../unfit.js';

/** The format's slots of a field, and of a block of rows. */
const FIELD = { name: 0, tag: 2, type: 3, dictionary: 4, children: 5 } as const;
const BATCH = { length: 0, nodes: 1, buffers: 2, compression: 3 } as const;
const NODE_BYTES = 16;
const BUFFER_BYTES = 16;
/** Nodes have a length and a count of nulls, buffers a place and a length, of 64 bits each. */
const SECOND = 8;
const FIELDS_OF_SCHEMA = 1;
const ENDIANNESS_OF_SCHEMA = 0;
const NAME_MAX = 80;

/** The numbers of types that a value may have. */
export const TYPE = {
  ...{ null: 1, int: 2, float: 3, binary: 4, utf8: 5, bool: 6, decimal: 7, date: 8, time: 9 },
  ...{ timestamp: 10, interval: 11, fixedBinary: 15, duration: 18, largeBinary: 19, largeUtf8: 20 },
} as const;
/** Tells how many buffers they have: a mask, and what follows it. */
const BUFFERS: Readonly<Record<number, number>> = {
  ...{ [TYPE.null]: 0, [TYPE.int]: 2, [TYPE.float]: 2, [TYPE.bool]: 2, [TYPE.decimal]: 2 },
  ...{ [TYPE.date]: 2, [TYPE.time]: 2, [TYPE.timestamp]: 2, [TYPE.interval]: 2 },
  ...{ [TYPE.fixedBinary]: 2, [TYPE.duration]: 2, [TYPE.utf8]: 3, [TYPE.binary]: 3 },
  ...{ [TYPE.largeUtf8]: 3, [TYPE.largeBinary]: 3 },
};

/** A column of the one row that a client has sent. Its bytes are not copied. */
export interface ParameterColumn {
  readonly name: string;
  readonly tag: number;
  readonly type: FlatTable;
  readonly isNull: boolean;
  /** The buffers behind the mask. */
  readonly buffers: readonly Buffer[];
}

/**
 * The columns of a row. Nothing is taken from a place, and nothing counted, that is not in the bytes.
 * @throws {MillraceError} INVALID_PARAMETER for anything but one row of plain values
 * @throws {RangeError} where something is said to be beyond the bytes
 */
export function* parameterRow(
  schema: FlatTable,
  batch: FlatTable,
  body: Buffer,
): Generator<ParameterColumn> {
  const fields = fieldsOf(schema);
  checkBatch(batch);
  let buffer = 0;
  for (const [node, field] of fields.entries()) {
    const tag = field.uint8(FIELD.tag);
    const type = field.table(FIELD.type);
    const count = BUFFERS[tag];
    const name = field.text(FIELD.name, NAME_MAX) ?? '';
    if (!type || count === undefined)
      throw unfit(`value ${JSON.stringify(name)}: Arrow's type number ${tag} is not taken; bind its text`); // prettier-ignore
    const [mask, ...buffers] = Array.from({ length: count }, (_, at) => bufferAt(batch, buffer + at, body)); // prettier-ignore
    buffer += count;
    yield { name, tag, type, isNull: isNull(batch, node, tag, mask), buffers };
  }
}

/** Several nested fields could refer to the same place, so that a reader would never finish. */
function fieldsOf(schema: FlatTable): readonly FlatTable[] {
  if (schema.int16(ENDIANNESS_OF_SCHEMA) !== 0)
    throw unfit('want values whose numbers begin with their lowest byte (little-endian)');
  const fields = schema.tables(FIELDS_OF_SCHEMA);
  if (fields.length > BOUNDS.parameters)
    throw unfit(`a statement may have at most ${BOUNDS.parameters} values`);
  for (const field of fields)
    if (field.tables(FIELD.children).length > 0 || field.table(FIELD.dictionary))
      throw unfit('lists, structs, maps and dictionaries are not taken as values; bind their text');
  return fields;
}

export const rowsOf = (batch: FlatTable): bigint => batch.int64(BATCH.length);

function checkBatch(batch: FlatTable): void {
  if (rowsOf(batch) !== 1n) throw unfit('want one row of values, and several came');
  if (batch.table(BATCH.compression)) throw unfit('want values that are not compressed');
}

function isNull(batch: FlatTable, node: number, tag: number, mask: Buffer | undefined): boolean {
  if (batch.int64At(BATCH.nodes, node, NODE_BYTES, 0) !== 1n) throw unfit('want one row of values');
  if (tag === TYPE.null) return true;
  const nulls = batch.int64At(BATCH.nodes, node, NODE_BYTES, SECOND);
  return nulls !== 0n && ((mask?.[0] ?? 0) & 1) === 0;
}

function bufferAt(batch: FlatTable, at: number, body: Buffer): Buffer {
  const begin = batch.int64At(BATCH.buffers, at, BUFFER_BYTES, 0);
  const length = batch.int64At(BATCH.buffers, at, BUFFER_BYTES, SECOND);
  if (begin < 0n || length < 0n || begin + length > BigInt(body.length))
    throw new RangeError('a buffer is not within what was sent');
  return body.subarray(Number(begin), Number(begin + length));
}
