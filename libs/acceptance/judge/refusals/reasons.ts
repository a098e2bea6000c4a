import { NESTING_MAX, type Fault } from '../json/fault.js';
import { STRUCTURAL } from './structural.js';

/** The field with a record's time, and the field into which shippers for Elasticsearch write it. */
export const TIMESTAMP = '_timestamp';
export const ALTERNATIVE_TIMESTAMP = '@timestamp';

const WANTED_TIME =
  'want ISO 8601, RFC 2822, or seconds, milli-, micro- or nanoseconds since 1970, between 1900 and 2299';

/** The names in messages of the kinds of values that are no objects. */
const OTHERS: Readonly<Record<string, string>> = {
  None: 'null',
  Bool: 'bool',
  Int64: 'int64',
  UInt64: 'uint64',
  Float64: 'double',
  String: 'string',
};

const FAULTS: Readonly<Record<Fault, string>> = {
  malformed: `${STRUCTURAL}malformed JSON`,
  'beyond 64 bits': `${STRUCTURAL}a number beyond 64 bits; send it as text`,
  'half a pair': `${STRUCTURAL}a text with half of a surrogate pair (\\uD800 to \\uDFFF), which is no character`,
  'too deep to read': `${STRUCTURAL}nested deeper than ${NESTING_MAX} levels`,
  'named twice within': 'an object within it names a field twice',
};

/** The reasons why a record is refused. */
export const REASON = {
  fault: (fault: Fault): string => FAULTS[fault],
  /** The reason if the record itself is valid and one field's value is at fault. */
  within: (fault: Fault): string =>
    `${fault === 'too deep to read' ? 'is ' : 'has '}${FAULTS[fault].replace(STRUCTURAL, '')}`,
  isOfGrammar: (reason: string): boolean =>
    reason === FAULTS.malformed ||
    reason === FAULTS['beyond 64 bits'] ||
    reason === FAULTS['half a pair'],
  tooDeep: `it is nested deeper than ${NESTING_MAX} levels; send what is inside as text, or in fields of its own`,
  notUtf8: `${STRUCTURAL}invalid UTF-8; convert the text, for example with iconv`,
  noObject: (kind: string): string =>
    `${STRUCTURAL}want a JSON object, this is ${OTHERS[kind] ?? 'array'}`,
  tooMany: (fieldsMax: number): string =>
    `${STRUCTURAL}it has more than the ${fieldsMax} fields a stream can have`,
  noCsv: `${STRUCTURAL}malformed CSV: a quote or a carriage return within a field; double such quotes, and put the whole field into quotes`,
  beyondHeader: (fields: number, named: number): string =>
    `it has ${fields} fields, and the header names ${named}`,
  numberBeyond: 'number has more than 64 bits; declare a new column of text, and send it there',
  twice: 'appears twice',
  ofField: (name: string, why: string): string => `field "${name}": ${why}`,
  noColumn: (kind: string, why = 'cannot become a column'): string => `${kind} ${why}`,
  noTime: (name: string): string =>
    `field "${name}": ${WANTED_TIME}${name === TIMESTAMP ? '' : ', or send _timestamp'}`,
  notKept:
    'older than the stream keeps its rows: raise its data_retention, and then retry the rejected records',
} as const;

/** A kind as reasons call it. */
export function kindInWords(kind: string): string {
  if (kind === 'JSON') return 'object';
  if (kind === 'Date32') return 'date';
  return kind.startsWith('DateTime64') ? 'timestamp' : kind.toLowerCase();
}
