import type { Message } from '../protocol/message-reader.js';
import { MessageReader } from '../protocol/message-reader.js';
import { MessageWriter } from '../protocol/message-writer.js';
import type { Bind } from '../protocol/front-messages.js';

/** PostgreSQL's answer to a statement about its catalog, in its own messages. */
export interface CatalogAnswer {
  readonly parameters: Buffer | undefined;
  /** The message that describes the columns; undefined when the answer has no columns. */
  readonly columns: Buffer | undefined;
  readonly rows: readonly Buffer[];
  readonly tag: string;
  /** The fields of its error, by their letter. */
  readonly failure: ReadonlyMap<string, string> | undefined;
}

/** @param bytes messages as PostgreSQL has sent them */
export function readAnswer(bytes: Buffer): CatalogAnswer {
  const reader = new MessageReader(Infinity);
  reader.start();
  reader.add(bytes);
  const rows: Buffer[] = [];
  let [parameters, columns, failure]: [Buffer?, Buffer?, ReadonlyMap<string, string>?] = [];
  let tag = '';
  for (let message = reader.next(); message; message = reader.next()) {
    if (message.type === 't') parameters = whole(message);
    else if (message.type === 'T') columns = whole(message);
    else if (message.type === 'D') rows.push(whole(message));
    else if (message.type === 'C') tag = message.body.subarray(0, -1).toString();
    else if (message.type === 'E') failure ??= fieldsOf(message.body);
  }
  return { parameters, columns, rows, tag, failure };
}

const whole = ({ type, body }: Message): Buffer =>
  new MessageWriter().begin(type).bytes(body).end().take();

const fieldsOf = (body: Buffer): ReadonlyMap<string, string> =>
  new Map(
    body
      .toString('utf8')
      .split('\0')
      .filter((field) => field !== '')
      .map((field) => [field.charAt(0), field.slice(1)]),
  );

/** Messages that describe a statement and, if values are given, run it. */
export function catalogQuestion(
  text: string,
  types: readonly number[],
  run?: Pick<Bind, 'values' | 'formats' | 'resultFormats'>,
): Buffer {
  const writer = new MessageWriter();
  writer.begin('P').text('').text(text).int16(types.length);
  for (const type of types) writer.uint32(type);
  writer.end();
  if (run) {
    writer.begin('B').text('').text('').int16(run.formats.length);
    for (const format of run.formats) writer.int16(format === 'binary' ? 1 : 0);
    writer.int16(run.values.length);
    for (const value of run.values) writer.value(value);
    writer.int16(run.resultFormats.length);
    for (const format of run.resultFormats) writer.int16(format === 'binary' ? 1 : 0);
    writer.end();
    writer.begin('D').bytes(Buffer.from('P')).text('').end();
    writer.begin('E').text('').int32(0).end();
  } else writer.begin('D').bytes(Buffer.from('S')).text('').end();
  return writer.empty('S').take();
}
