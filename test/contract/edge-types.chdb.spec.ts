import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTableUri } from '../../libs/edge/describe/table-argument.js';
import { COPIES } from '../../libs/edge/registry/prepare/copies.js';
import { withMoments } from '../../libs/edge/registry/prepare/delta-moments.js';
import { prepareTable } from '../../libs/edge/registry/prepare/prepare-table.js';
import { sourcesUnderTest } from './sources-under-test.js';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const MOMENT = "Nullable(DateTime64(6, 'UTC'))";
const WALL = 'Nullable(DateTime64(6))';

describe('types of files in the edge program', () => {
  const sources = sourcesUnderTest();
  beforeAll(() => sources.engine.statements.run(`CREATE DATABASE ${COPIES}`));

  const read = async (uri: string) => {
    const { columns, copy, select } = await prepareTable(parseTableUri('t', uri), sources.workshop);
    const sql = `SELECT * FROM ${copy ? copy.table : `(${select})`} FORMAT JSONEachRow`;
    const lines = (await sources.engine.statements.run(sql)).split('\n').filter((line) => line);
    const types = Object.fromEntries(columns.map(({ name, type }) => [name, type]));
    return { types, rows: lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
  };

  const started = process.cwd();
  afterEach(() => process.chdir(started));

  it.each(['', ',use_memory_table=true'])(
    'moments of Delta Lake have their zone%s',
    async (more) => {
      process.chdir('/');
      const own = `,format=delta${more}`;
      const { types, rows } = await read(`${FIXTURES}/delta/moments${own}`);
      expect(types).toEqual({
        n: 'Nullable(Int64)',
        m: MOMENT,
        w: WALL,
        s: `Tuple(m ${MOMENT}, w ${WALL})`,
        l: `Array(${MOMENT})`,
      });
      const moment = '2024-01-01T00:00:00.000000Z';
      const wall: unknown = expect.stringMatching(/^2024-01-01T00:00:00/);
      expect(rows).toEqual([
        { n: 1, m: moment, w: wall, s: { m: moment, w: wall }, l: [moment] },
        { n: 2, m: null, w: null, s: { m: null, w: null }, l: [] },
      ]);
      expect((await read(`${FIXTURES}/delta/timed${own}`)).types['_timestamp']).toBe(MOMENT);
    },
  );

  it('the newest schema of a log tells what is a moment', async () => {
    const { statements } = sources.engine;
    const folder = join(sources.folder, 'log');
    mkdirSync(folder);
    const schema = (type: string): string =>
      JSON.stringify({
        fields: [
          { name: 'a', type },
          {
            name: 'l',
            type: {
              type: 'map',
              keyType: type,
              valueType: { type: 'array', elementType: 'timestamp' },
            },
          },
        ],
      });
    const commit = (version: number, type: string): void => {
      const metaData = { schemaString: schema(type) };
      const text = `{"commitInfo":{}}\n${JSON.stringify({ metaData })}\n{"add":{"path":"x"}}\n`;
      writeFileSync(join(folder, `${String(version).padStart(20, '0')}.json`), text);
    };
    const deltaLog = (names: string, format: string, structure: string): string =>
      `file('${folder}/${names}', ${format}, '${structure}')`;
    const typesNow = async (): Promise<readonly string[]> => {
      const columns = [
        { name: 'a', type: WALL },
        { name: 'l', type: `Map(DateTime64(6), Array(${WALL}))` },
        { name: 'other', type: WALL },
      ];
      return (await withMoments(columns, { deltaLog }, statements)).map(({ type }) => type);
    };
    const walls = [WALL, `Map(DateTime64(6), Array(${MOMENT}))`, WALL];
    const moments = [MOMENT, `Map(DateTime64(6, 'UTC'), Array(${MOMENT}))`, WALL];
    // Nothing is there that tells.
    expect(await typesNow()).toEqual([WALL, `Map(DateTime64(6), Array(${WALL}))`, WALL]);
    commit(2, 'timestamp_ntz');
    expect(await typesNow()).toEqual(walls);
    const name = `${'10'.padStart(20, '0')}.checkpoint.parquet`;
    await statements.run(
      `INSERT INTO FUNCTION file('${folder}/${name}', Parquet, 'metaData Tuple(schemaString Nullable(String)), n Int64') SELECT tuple(if(number = 1, '${schema('timestamp')}', NULL)), number FROM numbers(3)`,
    );
    expect(await typesNow()).toEqual(moments);
    commit(10, 'timestamp_ntz');
    commit(11, 'timestamp_ntz');
    expect(await typesNow()).toEqual(walls);
    commit(12, 'timestamp');
    writeFileSync(join(folder, `${'13'.padStart(20, '0')}.json`), '{"add":{"path":"y"}}\n');
    expect(await typesNow()).toEqual(moments);
  });

  it.each(['', ',materialize=false'])(
    'dictionaries and zones of Arrow are values of their types%s',
    async (more) => {
      copyFileSync(`${FIXTURES}/arrow/dictionaries.arrow`, join(sources.folder, 'd.arrow'));
      const { types, rows } = await read(`d.arrow${more}`);
      expect(types).toEqual({
        n: 'Nullable(Int64)',
        day: 'Nullable(Date32)',
        price: 'Nullable(Decimal(4, 1))',
        at: "Nullable(DateTime64(3, 'UTC'))",
        text: 'LowCardinality(Nullable(String))',
        zone: "Nullable(DateTime64(3, 'UTC'))",
      });
      expect(rows).toEqual([
        {
          n: 20,
          day: '1969-12-31',
          price: -2.5,
          at: '1970-01-01T00:00:01.500Z',
          text: 'b',
          zone: '1970-01-01T00:00:00.000Z',
        },
        { n: null, day: null, price: null, at: null, text: null, zone: null },
        {
          n: 10,
          day: '2020-01-01',
          price: 1.5,
          at: '1970-01-01T00:00:00.000Z',
          text: 'a',
          zone: '1970-01-01T00:00:01.500Z',
        },
      ]);
    },
  );
});
