import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { listedColumns, type Schema } from '@app/streams';
import type { Column } from '@app/warehouse';
import { acceptRecords } from '../../libs/acceptance/records/accept-records.js';
import type { AcceptedChunk } from '../../libs/acceptance/records/chunk.js';
import { openEngine, type EngineWarehouse } from '../../libs/warehouse/engine/index.js';
import { JUDGE } from './batch-rows.js';
import { fieldsOf, type Fields } from './json-trees.js';
import { KeptValues } from './kept-values.js';
import { LIMITS } from './limits.js';
import {
  pathFields,
  sqlOfField,
  type PathField,
} from '../../libs/streams/aggregates/object-values.js';
import { mergeParts } from './merge-parts.js';
import { PureKeeper } from './pure-keeper.js';

const DATABASE = 'o_back';
const STREAM_ID = '01B';
const ACCEPTED_AT = 1_767_225_600_000_000;

export interface Refusal {
  /** The index counts from 0. */
  readonly line: number;
  readonly reason: string;
}

/** A stream whose schema evolves as chunks are accepted, and its table in a real engine. */
export class ReadBack {
  private readonly keeper = new PureKeeper();
  private readonly sent: { record: Fields; columns: ReadonlySet<string> }[] = [];
  private offset = 0;

  private constructor(
    private readonly under: EngineWarehouse,
    private readonly directory: string,
    private readonly table: { readonly database: string; readonly table: string },
  ) {}

  static async of(opened: OpenReadBack, name: string): Promise<ReadBack> {
    const table = { database: DATABASE, table: name };
    await opened.under.warehouse.createTable(table, [], STREAM_ID);
    return new ReadBack(opened.under, opened.directory, table);
  }

  /** Accepts a chunk as the stream would, and stores nothing. */
  async accept(lines: readonly (string | Buffer)[]): Promise<AcceptedChunk> {
    const file = join(this.directory, `${this.table.table}-${(this.offset += 1)}.ndjson`);
    const bytes = Buffer.concat(lines.map((line) => Buffer.concat([Buffer.from(line), NEWLINE])));
    writeFileSync(file, bytes);
    return acceptRecords(
      JUDGE,
      this.keeper,
      { file, firstLine: 1, bytes: bytes.length },
      { uploadId: 'u', stream: 'n', acceptedAt: ACCEPTED_AT },
    );
  }

  /** Accepts a chunk and stores it. */
  async store(lines: readonly (string | Buffer)[]): Promise<readonly Refusal[]> {
    const before = this.keeper.state;
    const { accepted, rejected } = await this.accept(lines);
    const refusals = refusalsOf({ rejected });
    const refused = new Set(refusals.map(({ line }) => line));
    expect((accepted?.rows ?? 0) + refusals.length).toBe(lines.length);
    await this.evolve(before);
    if (accepted) {
      const { columns, types, file, acceptedAt, times } = accepted;
      const position = { partition: 0, offset: BigInt(this.offset) };
      const batches = [{ position, file, acceptedAt, times }];
      await this.under.warehouse.insert({ table: this.table, streamId: STREAM_ID, columns, types, batches }); // prettier-ignore
    }
    const columns = new Set(this.columns.map(({ name }) => name));
    for (const [index, line] of lines.entries())
      if (!refused.has(index)) this.sent.push({ record: fieldsOf(line.toString()), columns });
    return refusals;
  }

  merge(): Promise<void> {
    return mergeParts(this.under.engine, this.table);
  }

  /**
   * Accepted records that are read back as other values: the field, the sent value and the value
   * that was read.
   */
  async changed(): Promise<string[]> {
    const kept = new KeptValues();
    const verbatim = new Set(this.keeper.state.verbatim.map(({ name }) => name));
    for (const { record } of this.sent) kept.learn(record);
    const sql = `SELECT * FROM ${this.table.table} ORDER BY _offset, _row`;
    const answer = await this.under.warehouse.stream({ sql, database: DATABASE, format: 'ndjson' });
    const rows = (await text(answer)).split('\n').slice(0, -1);
    expect(rows).toHaveLength(this.sent.length);
    return rows.flatMap((row, index) => {
      const { record, columns } = this.sent[index] ?? { record: new Map(), columns: new Set() };
      return kept.changed(record, fieldsOf(row), columns, verbatim) ?? [];
    });
  }

  /** Microseconds since the epoch, of all rows in the order in which they were sent. */
  async times(): Promise<bigint[]> {
    const sql = `SELECT toUnixTimestamp64Micro(_timestamp) FROM ${this.table.table} ORDER BY _offset, _row`;
    const answer = await this.under.warehouse.text({ sql, database: DATABASE, format: 'text' });
    return answer.split('\n').slice(0, -1).map(BigInt);
  }

  /**
   * Fields within objects that have a type, each with the values of the rows in the order in which
   * these were sent.
   */
  async within(): Promise<{ fields: readonly PathField[]; rows: readonly unknown[][] }> {
    const fields = pathFields(this.keeper.state.objects);
    const values = ['1', ...fields.map((field, at) => `${sqlOfField(field)} AS f${at}`)].join(', ');
    const sql = `SELECT ${values} FROM ${this.table.table} ORDER BY _offset, _row`;
    const answer = await this.under.warehouse.text({
      sql: `SELECT toJSONString(tuple(*)) FROM (${sql})`,
      database: DATABASE,
      format: 'text',
      settings: QUOTED,
    });
    const rows = answer.split('\n').slice(0, -1);
    return { fields, rows: rows.map((row) => (JSON.parse(row) as unknown[]).slice(1)) };
  }

  drop(): Promise<void> {
    return this.under.warehouse.dropTable(this.table);
  }

  get columns(): readonly Column[] {
    return this.keeper.state.columns;
  }

  /** Makes of the table's columns those of the stream. */
  private async evolve(before: Schema): Promise<void> {
    const { warehouse } = this.under;
    const { columns, untyped } = this.keeper.state;
    const types = new Map(before.columns.map(({ name, type }) => [name, type]));
    const listed = listedColumns({ columns, untyped });
    const gone = before.untyped.filter((name) => !listed.some((each) => each.name === name));
    await warehouse.dropUntyped(this.table, gone);
    await warehouse.addColumns(
      this.table,
      listed.filter(({ name }) => !types.has(name)),
    );
    for (const column of this.columns)
      if ((types.get(column.name) ?? column.type) !== column.type)
        await warehouse.modifyColumns(this.table, [column]);
    const [, ...made] = await warehouse.columns(this.table);
    expect(byName(made)).toEqual(byName(listed));
  }
}

/** No number of JavaScript has these digits. */
const QUOTED = {
  output_format_json_quote_64bit_integers: '1',
  output_format_json_quote_decimals: '1',
};
const NEWLINE = Buffer.from('\n');

const byName = (columns: readonly Column[]): readonly Column[] =>
  [...columns].sort((a, b) => (a.name < b.name ? -1 : 1));

export function refusalsOf({ rejected }: Pick<AcceptedChunk, 'rejected'>): readonly Refusal[] {
  const { lines = [], reasonOf = [], reasons = [] } = rejected?.rejections ?? {};
  expect(lines).toHaveLength(rejected?.rows ?? 0);
  return Array.from(lines, (line, index) => ({
    line: line - 1,
    reason: reasons[reasonOf[index] ?? -1] ?? '',
  }));
}

export interface OpenReadBack {
  readonly under: EngineWarehouse;
  readonly directory: string;
  close(): Promise<void>;
}

/** The engine that tables are in. */
export async function openReadBack(): Promise<OpenReadBack> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-read-back-'));
  const under = await openEngine({
    directory,
    limits: LIMITS,
    memoryBytes: 2 ** 30,
    readers: 1,
    closeEngine: () => Promise.resolve(),
    tell: () => undefined,
  });
  await under.warehouse.createDatabase(DATABASE);
  return {
    under,
    directory,
    close: async () => {
      await under.warehouse.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
