import type { ByteLeaf } from '@app/parquet';
import { readElement, readEngineType, typeWithin } from '@app/query';
import { writeRawBinaryType, type Column } from '@app/warehouse';
import { SourceError } from '../../sources/source-error.js';

/** Columns with bytes of a file, with all their single values in order. */
export type BytesOfFile = ReadonlyMap<string, readonly ByteLeaf[]>;
/** The columns with bytes of several files, with each way in which these have a column. */
export type ByteLeaves = ReadonlyMap<string, readonly (readonly ByteLeaf[])[]>;

/** The columns with bytes of files together. */
export function bytesTogether(files: Iterable<BytesOfFile>): ByteLeaves {
  const all = new Map<string, Map<string, readonly ByteLeaf[]>>();
  for (const file of files)
    for (const [name, leaves] of file) {
      const ways = all.get(name) ?? new Map<string, readonly ByteLeaf[]>();
      all.set(name, ways.set(leaves.join(), leaves));
    }
  return new Map([...all].map(([name, ways]) => [name, [...ways.values()]]));
}

/**
 * The column with the type of bytes where one of the files has bytes. It stays as it is where the
 * engine makes other values of it than the files have.
 * @throws {SourceError} where files have bytes of several lengths, which the engine would read without
 *   the zeros at their ends
 */
export function withBytes({ name, type }: Column, all: ByteLeaves): Column {
  const ways = all.get(name) ?? [];
  if (ways.length === 0) return { name, type };
  let leaves = 0;
  withLeaves(type, (leaf) => {
    leaves += 1;
    return leaf;
  });
  const told = ways.filter((way) => way.length === leaves);
  let at = -1;
  const marked = withLeaves(type, (leaf) => {
    at += 1;
    const kinds = told.map((way) => way[at]);
    if (leaf === 'String' && kinds.includes('fixed')) throw ofSeveralLengths(name);
    return kinds.every((kind) => kind === 'none') ? leaf : bytesFor(leaf);
  });
  return { name, type: marked };
}

/** The type of bytes for a type of texts; another type stays. */
function bytesFor(leaf: string): string {
  if (leaf === 'String') return writeRawBinaryType({});
  const bytes = /^FixedString\((\d+)\)$/.exec(leaf)?.[1];
  return bytes === undefined ? leaf : writeRawBinaryType({ bytes: Number(bytes) });
}

/** The type with other single values. */
function withLeaves(type: string, other: (leaf: string) => string): string {
  const read = readEngineType(type);
  switch (read.name) {
    case 'Nullable':
    case 'Array':
      return `${read.name}(${withLeaves(typeWithin(read), other)})`;
    case 'Map': {
      const [key, value] = [typeWithin(read), typeWithin(read, 1)];
      return `Map(${withLeaves(key, other)}, ${withLeaves(value, other)})`;
    }
    case 'Tuple': {
      const elements = read.parameters.map(readElement);
      return `Tuple(${elements.map((each) => each.name + withLeaves(each.type, other)).join(', ')})`;
    }
    case 'LowCardinality': {
      // A dictionary cannot have the type of bytes.
      const within = withLeaves(typeWithin(read), other);
      return within === typeWithin(read) ? type : within;
    }
    default:
      return other(type);
  }
}

const ofSeveralLengths = (column: string): SourceError =>
  new SourceError(
    `column ${JSON.stringify(column)} has bytes of one length in one file, and other bytes in another, which are not read exactly here: write the files anew with one type`,
  );
