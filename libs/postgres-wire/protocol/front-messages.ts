import { BodyReader } from './body-reader.js';
import { violation } from './protocol-error.js';

export type Format = 'text' | 'binary';

interface Parse {
  readonly name: string;
  readonly text: string;
  /** The OIDs of parameters; 0 or absent: the client does not say. */
  readonly types: readonly number[];
}

export interface Bind {
  readonly portal: string;
  readonly statement: string;
  readonly values: readonly (Buffer | null)[];
  /** The format of each value. */
  readonly formats: readonly Format[];
  /** The formats of columns: an empty list means text, and a single one is for all columns. */
  readonly resultFormats: readonly Format[];
}

/** The kind of object that `Describe` or `Close` names. */
export interface Named {
  readonly kind: 'statement' | 'portal';
  readonly name: string;
}

interface Execute {
  readonly portal: string;
  /** 0 means all rows. */
  readonly rows: number;
}

export function readParse(body: Buffer): Parse {
  const reader = new BodyReader(body);
  const [name, text] = [reader.text(), reader.text()];
  const types = Array.from({ length: reader.count(4) }, () => reader.int32());
  reader.end();
  return { name, text, types };
}

export function readBind(body: Buffer): Bind {
  const reader = new BodyReader(body);
  const [portal, statement] = [reader.text(), reader.text()];
  const given = formats(reader);
  const values = Array.from({ length: reader.count(4) }, () => {
    const length = reader.int32();
    return length === -1 ? null : reader.bytes(length);
  });
  const resultFormats = formats(reader);
  reader.end();
  if (given.length > 1 && given.length !== values.length)
    throw violation('a message has another number of formats than of values');
  return { portal, statement, values, formats: formatsOf(given, values.length), resultFormats };
}

/** The format of each value: one for all, one for each, or text. */
export const formatsOf = (formats: readonly Format[], length: number): readonly Format[] =>
  Array.from({ length }, (_, at) => (formats.length === 1 ? formats[0] : formats[at]) ?? 'text');

export function readNamed(body: Buffer): Named {
  const reader = new BodyReader(body);
  const [kind] = reader.bytes(1).toString('latin1');
  const name = reader.text();
  reader.end();
  if (kind !== 'S' && kind !== 'P') throw violation('a message names neither statement nor portal');
  return { kind: kind === 'S' ? 'statement' : 'portal', name };
}

export function readExecute(body: Buffer): Execute {
  const reader = new BodyReader(body);
  const [portal, rows] = [reader.text(), reader.int32()];
  reader.end();
  return { portal, rows: Math.max(0, rows) };
}

/** Reads `Query` and `PasswordMessage`. */
export function readText(body: Buffer): string {
  const reader = new BodyReader(body);
  const text = reader.text();
  reader.end();
  return text;
}

function formats(reader: BodyReader): readonly Format[] {
  return Array.from({ length: reader.count(2) }, () => {
    const code = reader.int16();
    if (code !== 0 && code !== 1) throw violation('a format is neither text (0) nor binary (1)');
    return code === 0 ? 'text' : 'binary';
  });
}
