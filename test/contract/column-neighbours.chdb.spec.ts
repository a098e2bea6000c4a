import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  quoteIdentifier,
  UNTYPED,
  type Column,
  type LocalEngine,
  type Warehouse,
} from '@app/warehouse';
import { listedColumns } from '../../libs/streams/aggregates/stream-schema.js';
import {
  streamAggregate,
  type StreamEvent,
  type StreamState,
} from '../../libs/streams/aggregates/stream.aggregate.js';
import { openLocalEngine } from '../server/open-local-engine.js';
import { openEngine } from '../../libs/warehouse/engine/index.js';
import { mergeParts } from './merge-parts.js';
import { rounds } from '../rounds.js';

const LIMITS = {
  timeoutSeconds: 10,
  memoryBytes: 1 << 30,
  readRows: 1e9,
  readBytes: 1e12,
  resultRows: 1e6,
  resultBytes: 1 << 30,
};
const TIME = "fromUnixTimestamp64Micro(1, 'UTC') AS _timestamp";

/** Kinds of values, each with one and with what a row without it reads. */
const KINDS = {
  None: ['null', 'null'],
  String: ['"x"', 'null'],
  Int64: ['7', 'null'],
  JSON: ['{"b":"y","k":1}', 'null'],
  'Array(Nullable(Int64))': ['[1,2]', '[]'],
  'Array(JSON)': ['[{"b":2,"k":1}]', '[]'],
  'Array(Dynamic)': ['[1,"x"]', '[]'],
} as const;
type Kind = keyof typeof KINDS;

const segment = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'k') },
  fc.constantFrom(
    'null',
    'size',
    'size0',
    'size1',
    '',
    'x y',
    '1',
    '`',
    '\\',
    "'",
    '"',
    'é',
    'keys',
  ),
  fc.constantFrom(
    'values',
    'String',
    'Int64',
    'Tuple',
    '__proto__',
    '%',
    '_row',
    '{',
    ',',
    'N'.repeat(120),
  ),
);
const field = fc.record({
  name: fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.')),
  kind: fc.constantFrom(...(Object.keys(KINDS) as Kind[])),
});

/** A field without a value whose place is taken beside those below its name, where rows are. */
const TYPED_LATE: { name: string; kind: Kind }[] = [
  { name: 'a.x', kind: 'Int64' },
  { name: 'a', kind: 'None' },
  { name: 'l', kind: 'None' },
  { name: 'k', kind: 'String' },
  { name: 'a', kind: 'String' },
  { name: 'l.x', kind: 'Array(JSON)' },
  { name: 'b', kind: 'Int64' },
];

describe('columns that a stream takes', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-neighbours-'));
  let engine: LocalEngine;
  let warehouse: Warehouse;
  let server: Awaited<ReturnType<typeof openEngine>>['engine'];
  let made = 0;
  beforeAll(async () => {
    const local = openLocalEngine(directory);
    engine = local;
    ({ warehouse, engine: server } = await openEngine({
      directory,
      limits: LIMITS,
      memoryBytes: 2 ** 30,
      readers: 1,
      closeEngine: () => local.close(),
      tell: () => undefined,
    }));
    await warehouse.createDatabase('o_n');
  });
  afterAll(async () => {
    await warehouse.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Gives the state of a stream after a field of this kind came. */
  const evolve = (
    state: StreamState,
    { name, kind }: { name: string; kind: Kind },
  ): StreamState => {
    const survey = new Map([[name, new Map([[kind, 1]])]]);
    const events: readonly StreamEvent[] = streamAggregate.decide(state, {
      type: 'evolve',
      survey,
    });
    return events.reduce(streamAggregate.evolve, state);
  };

  const insert = async (table: string, columns: readonly Column[], offset: bigint) => {
    const file = join(directory, `${table}-${offset}.native`);
    const values = columns.map(({ name, type }) => {
      const kind = type.replace(/^Nullable\((.*)\)$/, '$1') as Kind;
      const value = `JSONExtract('${KINDS[kind][0]}', '${type}')`;
      return `${value} AS ${quoteIdentifier(name)}`;
    });
    await engine.run(
      `INSERT INTO FUNCTION file('${file}', Native) SELECT ${[TIME, ...values].join(', ')}`,
    );
    await warehouse.insert({
      table: { database: 'o_n', table },
      streamId: table,
      columns: ['_timestamp', ...columns.map(({ name }) => name)],
      batches: [{ position: { partition: 0, offset }, file }],
    });
  };

  it('take what is sent, and read nothing that was not, whatever came before or after', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(field, { minLength: 2, maxLength: 7 }), async (fields) => {
        const table = `t${(made += 1)}`;
        await warehouse.createTable({ database: 'o_n', table }, [], table);
        let state = streamAggregate.evolve(streamAggregate.initialState, {
          type: 'StreamCreated',
          data: { id: table, organizationId: 'o', database: 'o_n', name: table },
        });
        const sent: (readonly string[])[] = [];
        for (const each of fields) {
          const next = evolve(state, each);
          const added = next.columns.slice(state.columns.length);
          const listed = listedColumns(next);
          const gone = state.untyped.filter((name) => !listed.some((one) => one.name === name));
          state = next;
          await warehouse.dropUntyped({ database: 'o_n', table }, gone);
          await warehouse.addColumns({ database: 'o_n', table }, listed);
          // Some rows have all columns, some only what is new.
          const columns = sent.length % 2 === 0 ? added : state.columns;
          await insert(table, columns, BigInt(sent.length + 1));
          sent.push(columns.map(({ name }) => name));
        }
        const listed = listedColumns(state);
        const expected = sent.map((names) =>
          listed.map(({ name, type }) => {
            if (type === UNTYPED) return 'null';
            const kind = type.replace(/^Nullable\((.*)\)$/, '$1') as Kind;
            return KINDS[kind][names.includes(name) ? 0 : 1];
          }),
        );
        const list = listed.map(
          ({ name }) => `ifNull(toJSONString(${quoteIdentifier(name)}), 'null')`,
        );
        const read = async (): Promise<unknown> =>
          JSON.parse(
            await warehouse.text({
              sql: `SELECT toJSONString(groupArray(v)) FROM (SELECT [${list.join(', ') || "''"}] AS v FROM ${table} ORDER BY _offset)`,
              database: 'o_n',
              format: 'text',
            }),
          );
        const rows = listed.length === 0 ? sent.map(() => ['']) : expected;
        expect(await read()).toEqual(rows);
        await mergeParts(server, { database: 'o_n', table });
        expect(await read()).toEqual(rows);
        await warehouse.text({ sql: `SELECT * FROM ${table}`, database: 'o_n', format: 'text' });
        await warehouse.dropTable({ database: 'o_n', table });
      }),
      { numRuns: rounds(5, 60), examples: [[TYPED_LATE]] },
    );
  }, 300_000);
});
