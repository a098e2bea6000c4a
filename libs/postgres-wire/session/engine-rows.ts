import type { Readable } from 'node:stream';
import { certain } from '@app/platform';
import { WholeResult, type Column } from '@app/warehouse';
import type { QueryPipeline, QueryQuestion } from '@app/query';
import { formatsOf, type Format } from '../protocol/front-messages.js';
import type { MessageWriter } from '../protocol/message-writer.js';
import { PostgresError } from '../protocol/protocol-error.js';
import { bytesOf, elementsOf, isNull } from '../values/json-row.js';
import { fieldOf, postgresType, type PostgresType, type Wide } from '../values/postgres-type.js';
import { valueBinary } from '../values/value-binary.js';
import { valueText } from '../values/value-text.js';
import type { Rows } from './rows.js';

const FORMAT = 'JSONCompactEachRowWithNamesAndTypes';
/** Settings by which values can be parsed without losing a digit or a byte. */
const WRITING = {
  date_time_output_format: 'iso',
  output_format_json_quote_denormals: '1',
  output_format_json_validate_utf8: '0',
};
const LINE_END = 0x0a;
const NO_BYTES: Buffer = Buffer.alloc(0);

/** The form in which the client wants rows. */
interface AskedRows {
  /** The formats of columns: an empty list means text, and a single one is for all columns. */
  readonly formats: readonly Format[];
  readonly wide: Wide;
}

/** Rows of the engine, converted to PostgreSQL's format while they arrive. */
export class EngineRows implements Rows {
  private rest = NO_BYTES;
  private line: Buffer | undefined;
  private readonly chunks: AsyncIterator<Buffer>;

  private constructor(
    private readonly stream: Readable,
    private readonly asked: AskedRows,
    private readonly onClose: () => void,
  ) {
    this.chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    stream.on('error', () => undefined);
    if (stream instanceof WholeResult) this.rest = stream.bytes;
  }

  private names: readonly string[] = [];
  private types: readonly PostgresType[] = [];
  private each: readonly Format[] = [];

  /** @param onClose is called once, when nothing is read any more. @throws {MillraceError} */
  static async open(
    queries: QueryPipeline,
    question: QueryQuestion,
    asked: AskedRows,
    onClose: () => void,
  ): Promise<EngineRows> {
    const { sql } = question;
    if (/session_timezone|date_time_output_format/i.test(sql))
      throw new PostgresError('0A000', 'times are told in UTC here: no setting of them is taken');
    const asJson = (type: string): boolean => postgresType(type, asked.wide).kind === 'jsonb';
    const stream = await queries.run({ ...question, format: FORMAT, writing: WRITING, asJson });
    const rows = new EngineRows(stream, asked, onClose);
    try {
      await rows.readHead(() => queries.columns(question));
    } catch (error) {
      rows.close();
      throw error;
    }
    return rows;
  }

  describe(writer: MessageWriter): void {
    const fields = this.names.map((name, at) => fieldOf(name, this.typeAt(at)));
    writer.rowDescription(fields, this.each);
  }

  next(): boolean | Promise<boolean> {
    const end = this.rest.indexOf(LINE_END);
    if (end === -1) return this.fill();
    this.line = this.rest.subarray(0, end);
    this.rest = this.rest.subarray(end + 1);
    return true;
  }

  write(writer: MessageWriter): void {
    const values = elementsOf(this.line ?? NO_BYTES);
    writer.begin('D').int16(values.length);
    values.forEach((json, at) => {
      const type = this.typeAt(at);
      if (type.kind === 'int8') checkBigint(json);
      if (isNull(json)) writer.int32(-1);
      else writer.value(this.each[at] === 'binary' ? valueBinary(json, type) : valueText(json, type)); // prettier-ignore
    });
    writer.end();
  }

  private typeAt(at: number): PostgresType {
    return certain(this.types[at], `type of column ${at}`);
  }

  tag(rows: number): string {
    return `SELECT ${rows}`;
  }

  abort(): void {
    this.stream.destroy(new DOMException('canceled', 'AbortError'));
  }

  close(): void {
    this.stream.destroy();
    this.onClose();
  }

  private async fill(): Promise<boolean> {
    if (this.stream instanceof WholeResult) return this.last();
    const pieces = [this.rest];
    for (;;) {
      const { value, done } = (await this.chunks.next()) as IteratorResult<Buffer, undefined>;
      if (done === true || value === undefined) {
        this.rest = Buffer.concat(pieces);
        return this.last();
      }
      pieces.push(value);
      if (!value.includes(LINE_END)) continue;
      this.rest = pieces.length === 1 ? value : Buffer.concat(pieces);
      return this.next();
    }
  }

  /** The rest without a line break is a row too. */
  private last(): boolean {
    if (this.rest.length === 0) {
      this.close();
      return false;
    }
    this.line = this.rest;
    this.rest = NO_BYTES;
    return true;
  }

  /** Names and types come before the rows. An answer without rows may have neither. */
  private async readHead(columns: () => Promise<readonly Column[]>): Promise<void> {
    const head = async (): Promise<readonly string[] | undefined> =>
      (await this.next())
        ? elementsOf(this.line ?? NO_BYTES).map((name) => bytesOf(name).toString('utf8'))
        : undefined;
    const names = await head();
    const types = names && (await head());
    const known = names && types ? names.map((name, at) => ({ name, type: certain(types[at], `type of ${name}`) })) : await columns(); // prettier-ignore
    this.names = known.map(({ name }) => name);
    this.types = known.map(({ type }) => postgresType(type, this.asked.wide));
    this.each = formatsOf(this.asked.formats, known.length);
  }
}

const [BIGINT_DIGITS, BIGINT_MAX] = [19, 2n ** 63n - 1n];

/** @throws {PostgresError} 22003 */
function checkBigint(json: Buffer): void {
  if (json.length < BIGINT_DIGITS || BigInt(json.toString('latin1')) <= BIGINT_MAX) return;
  throw new PostgresError('22003', 'bigint out of range; cast it by ::numeric(20)');
}
