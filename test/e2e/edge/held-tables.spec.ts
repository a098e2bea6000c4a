import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROAPI_FIXTURES, startEdge, type Edge } from '../../server/start-edge.js';
import { until } from '../../server/until.js';

const FILES = [
  'blogs.parquet',
  'blogs_flattened.parquet',
  'spacex_launches.json',
  'spacex_launches.ndjson',
  'uk_cities_with_headers.csv',
  'uk_cities_with_headers.arrow',
  'uk_cities_with_headers.arrows',
];

describe('tables that are held in the engine', () => {
  it('are the same tables as where they lie', async () => {
    const tables = FILES.flatMap((file, n) => {
      const source = `${file},format=${file.split('.').at(-1)}`;
      return ['-t', `held_${n}=${source}`, '-t', `lies_${n}=${source},materialize=false`];
    });
    const edge = await startEdge(tables, { directory: ROAPI_FIXTURES });
    try {
      const names = (prefix: string): string => FILES.map((_, n) => `${prefix}_${n}`).join(', ');
      const says = (text: string): Promise<void> =>
        until(() => Promise.resolve(edge.output().includes(text)));
      await says(`copied into the engine: ${names('held')}\n`);
      await says(`at each query: ${names('lies')}\n`);
      const schema = (await edge.get('/api/schema')).json<Record<string, object>>();
      for (const n of FILES.keys()) {
        const rows = async (table: string) => (await edge.sql(`SELECT * FROM ${table}`)).text;
        expect(await rows(`held_${n}`)).toBe(await rows(`lies_${n}`));
        expect(schema[`held_${n}`]).toEqual(schema[`lies_${n}`]);
      }
    } finally {
      await edge.stop();
    }
  });

  describe('follow their files', () => {
    let folder: string;
    let edge: Edge | undefined;
    const path = (name: string): string => join(folder, name);

    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'edge-held-'))));
    afterEach(async () => {
      await edge?.stop();
      edge = undefined;
      rmSync(folder, { recursive: true, force: true });
    });

    const says = (text: string): Promise<void> =>
      until(() => Promise.resolve(edge?.output().includes(text) === true));
    const answer = async (sql: string): Promise<string> => {
      const { status, text } = (await edge?.sql(sql)) ?? { status: 0, text: '' };
      return `${status} ${text.replace(/\s+/g, '')}`;
    };
    const becomes = (sql: string, expected: string): Promise<void> =>
      until(async () => (await answer(sql)) === expected);

    it('with new rows, columns, types and files', async () => {
      writeFileSync(path('n.csv'), 'n\n1\n');
      mkdirSync(path('logs'));
      writeFileSync(path('logs/a.ndjson'), '{"k":1}\n');
      edge = await startEdge(['-t', 'n.csv', '-t', 'logs=logs,format=ndjson'], {
        directory: folder,
      });
      await says('copied into the engine: n, logs\n');
      writeFileSync(path('n.csv'), 'n,m\n1,x\ntwo,y\n');
      await becomes('SELECT n, m FROM n', '200 [{"n":"1","m":"x"},{"n":"two","m":"y"}]');
      mkdirSync(path('logs/day=2'));
      writeFileSync(path('logs/day=2/b.ndjson'), '{"k":2}\n');
      await becomes('SELECT sum(k) AS s FROM logs', '200 [{"s":3}]');
      expect(await answer('SELECT n, m FROM n')).toBe(
        '200 [{"n":"1","m":"x"},{"n":"two","m":"y"}]',
      );
    });

    it('and stay as they were while these are gone or broken', async () => {
      writeFileSync(path('n.csv'), 'n\n1\n');
      writeFileSync(path('p.csv'), 'p\n1\n');
      edge = await startEdge(
        ['-t', 'n.csv', '-t', 'p.csv,schema={"columns":[{"name":"p","data_type":"Int64"}]}'],
        {
          directory: folder,
        },
      );
      writeFileSync(path('p.csv'), 'p\nno number\n');
      rmSync(path('n.csv'));
      await says('table p could not be read again and stays as it was');
      expect(await answer('SELECT n FROM n')).toBe('200 [{"n":1}]');
      expect(await answer('SELECT p FROM p')).toBe('200 [{"p":1}]');
      writeFileSync(path('n.new'), 'n\n5\n');
      renameSync(path('n.new'), path('n.csv'));
      await becomes('SELECT n FROM n', '200 [{"n":5}]');
    });

    it('unless a row does not fit: then they are read where they lie, and it is told', async () => {
      const rows = Array.from({ length: 3_000_000 }, (_, n) => `${n}`).join('\n');
      writeFileSync(path('bad.csv'), `n\n${rows}\nnone\n`);
      const schema = '{"columns":[{"name":"n","data_type":"Int64"}]}';
      edge = await startEdge(['-t', `bad.csv,schema=${schema}`], { directory: folder });
      await says('read where they lie, at each query: bad\n');
      await says('table bad cannot be copied and is read where it lies');
      expect(await answer('SELECT n FROM bad LIMIT 1')).toBe('200 [{"n":0}]');
    });

    it('where they lie, too, after an interval: columns that come and types that change', async () => {
      writeFileSync(path('n.csv'), 'n\n1\n');
      edge = await startEdge(['-t', 'n=n.csv,format=csv,materialize=false,reload_interval=1'], {
        directory: folder,
      });
      writeFileSync(path('n.csv'), 'n,m\nx,2\n');
      await becomes('SELECT n, m FROM n', '200 [{"n":"x","m":2}]');
    });
  });
});
