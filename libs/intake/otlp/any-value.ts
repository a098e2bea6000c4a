import { WireType } from '@bufbuild/protobuf/wire';
import type { Codec } from '../protobuf/codec.js';
import { malformed } from '../protobuf/malformed.js';
import type { ReadBounds } from '../protobuf/read-bounds.js';
import { bool, bytes, double, int64, text } from '../protobuf/protobuf-scalars.js';
import { decimal } from '../protobuf/decimal.js';
import type { WireReader } from '../protobuf/wire-reader.js';

/**
 * A value of an attribute or a body, as JSON. It is written directly as text, without an object for
 * nested values.
 */
export interface AnyValue {
  readonly kind: 'string' | 'bool' | 'int' | 'double' | 'array' | 'kvlist' | 'bytes';
  readonly json: string;
}

const [STRING, BOOL, INT, DOUBLE, ARRAY, KVLIST, BYTES] = [1, 2, 3, 4, 5, 6, 7];
const [KEY, VALUE] = [1, 2];
/** The only field of a list. */
const VALUES = 1;

/** Undefined stands for a value without content. */
export const anyValue: Codec<AnyValue | undefined> = {
  wireType: WireType.LengthDelimited,
  wire: (reader) => reader.nested(anyOnWire),
  json: anyInJson,
};

/** One attribute, as a member of a JSON object. */
export const keyValue: Codec<string> = {
  wireType: WireType.LengthDelimited,
  wire: (reader) => reader.nested(memberOnWire),
  json: memberInJson,
};

/**
 * Writes a JSON object. A repeated key is written twice, and the judge rejects the record for it.
 */
export const objectOf = (members: readonly string[]): string => `{${members.join(',')}}`;

const VALUE_TYPES: readonly (WireType | undefined)[] = (() => {
  const types: WireType[] = [];
  for (const number of [STRING, ARRAY, KVLIST, BYTES]) types[number] = WireType.LengthDelimited;
  for (const number of [BOOL, INT]) types[number] = WireType.Varint;
  types[DOUBLE] = WireType.Bit64;
  return types;
})();

function anyOnWire(reader: WireReader): AnyValue | undefined {
  let found: AnyValue | undefined;
  while (!reader.atEnd) {
    const [number, wireType] = reader.tag();
    const wanted = VALUE_TYPES[number];
    if (wanted === undefined) reader.pass(wireType, number);
    else if (wanted !== wireType) throw malformed('the protobuf message has an odd value');
    else found = valueOnWire(reader, number);
  }
  return found;
}

function valueOnWire(reader: WireReader, number: number): AnyValue {
  switch (number) {
    case STRING:
      return { kind: 'string', json: JSON.stringify(reader.string()) };
    case BOOL:
      return { kind: 'bool', json: String(reader.bool()) };
    case INT:
      return { kind: 'int', json: String(reader.int64()) };
    case DOUBLE:
      return { kind: 'double', json: decimal(reader.double()) };
    case ARRAY:
      return { kind: 'array', json: reader.nested(arrayOnWire) };
    case KVLIST:
      return { kind: 'kvlist', json: reader.nested(listOnWire) };
    default:
      return { kind: 'bytes', json: `"${bytes.wire(reader)}"` };
  }
}

function arrayOnWire(reader: WireReader): string {
  const values: string[] = [];
  eachValue(reader, () => values.push(anyValue.wire(reader)?.json ?? 'null'));
  return `[${values.join(',')}]`;
}

function listOnWire(reader: WireReader): string {
  const members: string[] = [];
  eachValue(reader, () => members.push(keyValue.wire(reader)));
  return objectOf(members);
}

function eachValue(reader: WireReader, take: () => void): void {
  while (!reader.atEnd) {
    const [number, wireType] = reader.tag();
    if (number === VALUES && wireType === WireType.LengthDelimited) take();
    else reader.pass(wireType, number);
  }
}

function memberOnWire(reader: WireReader): string {
  let [key, value] = ['', 'null'];
  while (!reader.atEnd) {
    const [number, wireType] = reader.tag();
    if (wireType === WireType.LengthDelimited && number === KEY) key = reader.string();
    else if (wireType === WireType.LengthDelimited && number === VALUE)
      value = anyValue.wire(reader)?.json ?? 'null';
    else reader.pass(wireType, number);
  }
  return `${JSON.stringify(key)}:${value}`;
}

type Json = Readonly<Record<string, unknown>>;

/** The kinds of the value by their names in JSON, as defined and as mapped. */
const IN_JSON: readonly (readonly [
  string,
  string,
  AnyValue['kind'],
  (value: unknown, bounds: ReadBounds) => string,
])[] = [
  [
    'stringValue',
    'string_value',
    'string',
    (value, bounds) => JSON.stringify(text.json(value, bounds)),
  ],
  ['boolValue', 'bool_value', 'bool', (value, bounds) => String(bool.json(value, bounds))],
  ['intValue', 'int_value', 'int', (value, bounds) => String(int64.json(value, bounds))],
  ['doubleValue', 'double_value', 'double', (value, bounds) => decimal(double.json(value, bounds))],
  ['arrayValue', 'array_value', 'array', arrayInJson],
  [
    'kvlistValue',
    'kvlist_value',
    'kvlist',
    (value, bounds) => objectOf(valuesIn(value).map((each) => memberInJson(each, bounds))),
  ],
  ['bytesValue', 'bytes_value', 'bytes', (value, bounds) => `"${bytes.json(value, bounds)}"`],
];

function anyInJson(value: unknown, bounds: ReadBounds): AnyValue | undefined {
  const sent = objectIn(value);
  bounds.enter();
  let found: AnyValue | undefined;
  for (const [name, definedName, kind, read] of IN_JSON) {
    for (const held of [sent[name], sent[definedName]]) {
      if (held === undefined || held === null) continue;
      if (found) throw malformed(`want one value, and there is a ${name} besides`);
      found = { kind, json: read(held, bounds) };
    }
  }
  bounds.leave();
  return found;
}

function arrayInJson(value: unknown, bounds: ReadBounds): string {
  const values = valuesIn(value).map((each) =>
    each === null ? 'null' : (anyInJson(each, bounds)?.json ?? 'null'),
  );
  return `[${values.join(',')}]`;
}

function memberInJson(member: unknown, bounds: ReadBounds): string {
  const { key, value } = objectIn(member);
  const json = value === undefined || value === null ? 'null' : anyInJson(value, bounds)?.json;
  return `${JSON.stringify(text.json(key ?? '', bounds))}:${json ?? 'null'}`;
}

function valuesIn(list: unknown): readonly unknown[] {
  const { values = [] } = objectIn(list);
  if (!Array.isArray(values)) throw malformed('values: want an array');
  return values;
}

function objectIn(value: unknown): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw malformed('want an object');
  return value as Json;
}
