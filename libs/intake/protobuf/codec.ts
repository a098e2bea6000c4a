import type { WireType } from '@bufbuild/protobuf/wire';
import type { ReadBounds } from './read-bounds.js';
import type { WireReader } from './wire-reader.js';

/** Reads one kind of value from both encodings of protobuf. */
export interface Codec<T> {
  readonly wireType: WireType;
  wire(reader: WireReader): T;
  /** @param value as JSON has it, not null. @throws {MillraceError} that says what it wants */
  json(value: unknown, bounds: ReadBounds): T;
}

export interface Field {
  /** The name of the field in JSON, in lowerCamelCase. */
  readonly name: string;
  /** The name of the field in the definition, which JSON may have too. */
  readonly definedName: string;
  /** The key of the value in the result. */
  readonly key: string;
  readonly codec: Codec<unknown>;
  /** `list`: all values; `each`: a list whose values are read when they are asked for, one at a time. */
  readonly repeated: 'no' | 'list' | 'each';
}

/** The fields of a message, by their number. */
export interface Shape {
  readonly byNumber: readonly (Field | undefined)[];
  readonly all: readonly Field[];
  /** The fields that are read one value at a time. */
  readonly each: readonly Field[];
  /** Groups of fields of which a message has at most one. */
  readonly oneOf: readonly Field[];
}

type Defined = readonly [
  name: string,
  codec: Codec<unknown>,
  repeated?: Field['repeated'],
  /** Default: the name in lowerCamelCase. */
  key?: string,
];

/**
 * @param fields as in the published definition: by number, the name in snake_case.
 * @param oneOf names of fields of which a message has at most one.
 */
export function shape(
  fields: Readonly<Record<number, Defined>>,
  oneOf: readonly string[] = [],
): Shape {
  const byNumber: (Field | undefined)[] = [];
  for (const [number, [definedName, codec, repeated = 'no', key]] of Object.entries(fields)) {
    const name = definedName.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase());
    byNumber[Number(number)] = { name, definedName, key: key ?? name, codec, repeated };
  }
  const all = byNumber.filter((field) => field !== undefined);
  return {
    byNumber,
    all,
    each: all.filter((field) => field.repeated === 'each'),
    oneOf: all.filter(({ definedName }) => oneOf.includes(definedName)),
  };
}
