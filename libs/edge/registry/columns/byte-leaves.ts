import { readElement, readEngineType, typeWithin } from '@app/query';
import { writeRawBinaryType } from '@app/warehouse';

/**
 * Columns with bytes: whether each single value in them is bytes, in the order of their type. One for
 * each way in which files have the column.
 */
export type ByteLeaves = ReadonlyMap<string, readonly (readonly boolean[])[]>;

/** The columns with bytes of files together. */
export function bytesTogether(
  files: Iterable<ReadonlyMap<string, readonly boolean[]>>,
): ByteLeaves {
  const all = new Map<string, Map<string, readonly boolean[]>>();
  for (const file of files)
    for (const [name, leaves] of file) {
      const ways = all.get(name) ?? new Map<string, readonly boolean[]>();
      all.set(name, ways.set(leaves.join(), leaves));
    }
  return new Map([...all].map(([name, ways]) => [name, [...ways.values()]]));
}

/**
 * The type with those single values as bytes that are bytes in one of the files. It stays as it is
 * where the engine makes other values of it than the files have.
 */
export function withBytes(type: string, ways: readonly (readonly boolean[])[]): string {
  let leaves = 0;
  marked(type, () => {
    leaves += 1;
    return false;
  });
  const told = ways.filter((way) => way.length === leaves);
  let at = -1;
  return marked(type, () => {
    at += 1;
    return told.some((way) => way[at]);
  });
}

function marked(type: string, areBytes: () => boolean): string {
  const read = readEngineType(type);
  const { name, parameters } = read;
  switch (name) {
    case 'Nullable':
    case 'Array':
      return `${name}(${marked(typeWithin(read), areBytes)})`;
    case 'Map': {
      const [key, value] = [typeWithin(read), typeWithin(read, 1)];
      return `Map(${marked(key, areBytes)}, ${marked(value, areBytes)})`;
    }
    case 'Tuple': {
      const elements = parameters.map(readElement);
      return `Tuple(${elements.map((each) => each.name + marked(each.type, areBytes)).join(', ')})`;
    }
    case 'LowCardinality': {
      // A dictionary cannot have a type of bytes.
      const within = marked(typeWithin(read), areBytes);
      return within === typeWithin(read) ? type : within;
    }
    default: {
      const are = areBytes();
      if (!are || !/^(?:Fixed)?String$/.test(name)) return type;
      return writeRawBinaryType(
        parameters[0] === undefined ? {} : { bytes: Number(parameters[0]) },
      );
    }
  }
}
