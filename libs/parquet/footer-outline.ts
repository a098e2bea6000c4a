import { BrokenFileError } from './broken-file-error.js';
import { I64, LIST, STOP, STRUCT, ThriftWalk } from './thrift-walk.js';

/**
 * Walks over a Parquet footer without creating objects. It finds the bytes of each field, and
 * checks that every length fits into the bytes. A list of 64 million empty structures is 64 MB here
 * and 65 KB in transit, and a decoder without this check would need gigabytes.
 */

/** The number of values that are decoded. A schema of 20,000 columns has about as many. */
const SCHEMA_VALUES_MAX = 400_000;

const SCHEMA = 2;
const ROWS = 3;
const ROW_GROUPS = 4;
const ENCRYPTION = 8;

export const ENCRYPTED = 'it is encrypted, which is not read here';

/**
 * The footer with only its schema and its number of rows.
 * @throws {Error} when it is no footer, or has a wrong length.
 */
export function footerOutline(footer: Uint8Array): Uint8Array {
  const walk = new ThriftWalk(footer);
  const fields = new Map<number, { readonly type: number; readonly bytes: Uint8Array }>();
  for (const { id, type } of walk.fields()) {
    if (fields.has(id)) throw new BrokenFileError(`it has field ${id} twice`);
    const from = walk.at;
    const before = walk.values;
    walk.skip(type, 1);
    if (id === SCHEMA && walk.values - before > SCHEMA_VALUES_MAX)
      throw new BrokenFileError(`its schema has more than ${SCHEMA_VALUES_MAX} values`);
    fields.set(id, { type, bytes: footer.subarray(from, walk.at) });
  }
  const schema = fields.get(SCHEMA);
  const rows = fields.get(ROWS);
  const groups = fields.get(ROW_GROUPS);
  if (schema?.type !== LIST) throw new BrokenFileError('it has no schema');
  if (rows?.type !== I64) throw new BrokenFileError('it does not say how many rows there are');
  if (groups?.type !== LIST) throw new BrokenFileError('it has no row groups');
  if (fields.has(ENCRYPTION)) throw new BrokenFileError(ENCRYPTED);
  const noGroups = [STRUCT];
  return Buffer.concat([
    header(SCHEMA, LIST),
    schema.bytes,
    header(ROWS, I64),
    rows.bytes,
    header(ROW_GROUPS, LIST),
    Buffer.from([...noGroups, STOP]),
  ]);
}

/** Writes the header of a field with its absolute number, not relative to the field before. */
const header = (id: number, type: number): Buffer => Buffer.from([type, id << 1]);
