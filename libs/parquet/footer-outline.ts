import { BrokenFileError } from './broken-file-error.js';
import { I64, LIST, STOP, STRUCT, ThriftWalk } from './thrift-walk.js';

/**
 * A Parquet footer, walked over without making anything of it: which bytes its own fields have, and
 * whether every length in it is one that the bytes can hold. A list of 64 million empty structures
 * is 64 MB here and 65 KB on the wire, and a decoder without this check would need gigabytes.
 */

/** So many values are decoded here. A schema of 20,000 columns has about so many. */
const SCHEMA_VALUES_MAX = 400_000;

const SCHEMA = 2;
const ROWS = 3;
const ROW_GROUPS = 4;

/**
 * The footer without all but its schema and its number of rows.
 * @throws {Error} when it is no footer, or claims what is not there.
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

/** Writes the header of a field in the form that does not count from the field before. */
const header = (id: number, type: number): Buffer => Buffer.from([type, id << 1]);
