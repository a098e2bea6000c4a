import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { edgeInFolder } from '../../server/edge-in-folder.js';
import { startEdge, type Edge } from '../../server/start-edge.js';
import { BUCKET, startS3, type S3 } from '../../server/start-s3.js';
import { until } from '../../server/until.js';

const LOST = 'not there any more';
const OTHER_TYPE = 'column \\"a\\" has another type';
/** `{"a":{"a":…` */
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}\n`;

type Ask = () => Promise<readonly [status: number, text: string]>;
const asked =
  (edge: () => Edge, table: string): Ask =>
  async () => {
    const { status, text } = await edge().sql(`SELECT * FROM ${table}`);
    return [status, text];
  };
const failing = (reason: string): unknown => [503, expect.stringContaining(reason)];

describe('files that are lost, or become others', () => {
  const own = edgeInFolder('edge-lost-files-');
  const path = (name: string): string => join(own.folder, name);
  /** Writes a file as the program itself answers it. */
  const write = async (name: string, select: string): Promise<void> => {
    const format = name.endsWith('.parquet') ? 'parquet' : 'vnd.apache.arrow.file';
    const response = await fetch(`${own.edge.url}/api/sql`, {
      method: 'POST',
      body: select,
      headers: { accept: `application/${format}` },
    });
    expect(response.status).toBe(200);
    writeFileSync(path(name), Buffer.from(await response.arrayBuffer()));
  };
  const register = async (tableName: string, uri: string): Promise<void> => {
    const made = await own.edge.post('/api/table', [{ tableName, uri }]);
    expect([made.status, made.text]).toEqual([200, expect.anything()]);
  };
  const rows = (table: string): Ask => asked(() => own.edge, table);

  it.each(['csv', 'json'])('a folder or pattern without files is no empty table: %s', async (format) => {
    mkdirSync(path(format));
    const file = path(`${format}/1.${format}`);
    const text = format === 'csv' ? 'a\n1\n' : '{"a":1}\n';
    writeFileSync(file, text);
    await register(`in_${format}`, `${format},format=${format},materialize=false`);
    await register(`like_${format}`, `${format}/*.${format}`);
    for (const table of [`in_${format}`, `like_${format}`]) {
      expect((await rows(table)())[0]).toBe(200);
      rmSync(file);
      expect(await rows(table)()).toEqual(failing(LOST));
      writeFileSync(file, text);
      expect((await rows(table)())[0]).toBe(200);
    }
  }); // prettier-ignore

  it.each(['parquet', 'arrow'])('a %s file that is written with a wider type is not cut', async (format) => {
    const file = `one.${format}`;
    await write(file, "SELECT toInt8(1) AS a, 'x' AS b FROM first");
    await register('one', `${file},format=${format},materialize=false`);
    expect(await rows('one')()).toEqual([200, expect.stringContaining('{"a":1,"b":"x"}')]);
    await write(file, "SELECT toInt64(300) AS a, 'x' AS b FROM first");
    // It fails until it is read again by itself.
    await until(async () => {
      const [status, text] = await rows('one')();
      if (status !== 200) expect([status, text]).toEqual(failing(OTHER_TYPE));
      else expect(text).toContain('{"a":300,"b":"x"}');
      return status === 200;
    });
  }); // prettier-ignore

  it('a declared type holds for a file that is written anew', async () => {
    await write('told.parquet', 'SELECT toInt16(1) AS a FROM first');
    const columns = [{ name: 'a', data_type: 'Int16', nullable: true }];
    const schema = `schema=${JSON.stringify({ columns })}`;
    await register('told', `told.parquet,${schema},materialize=false`);
    expect((await rows('told')())[0]).toBe(200);
    await write('told.parquet', 'SELECT toInt64(70000) AS a FROM first');
    expect((await rows('told')())[0]).toBe(503);
    await write('told.parquet', 'SELECT toUInt8(200) AS a FROM first');
    expect(await rows('told')()).toEqual([200, expect.stringContaining('{"a":200}')]);
  });

  it('a file of a declared type may come later, and be narrower', async () => {
    const columns = [{ name: 'a', data_type: 'Int64', nullable: true }];
    const schema = `schema=${JSON.stringify({ columns })}`;
    await register('later', `later-*.parquet,format=parquet,${schema},materialize=false`);
    expect(await rows('later')()).toEqual([200, '[]\n']);
    await write('later-1.parquet', 'SELECT toInt32(-5) AS a FROM first');
    expect(await rows('later')()).toEqual([200, expect.stringContaining('{"a":-5}')]);
  });

  it('JSON that is too deep far behind its beginning is refused where its types are looked for', async () => {
    const line = `{"a":1,"t":"${'x'.repeat(1000)}"}\n`;
    writeFileSync(path('far.ndjson'), line.repeat(68_000) + deep(20));
    const made = await own.edge.post('/api/table', [{ tableName: 'far', uri: 'far.ndjson' }]);
    expect([made.status, made.text]).toEqual([400, expect.stringContaining('line 68001 has objects')]);
    rmSync(path('far.ndjson'));
  }); // prettier-ignore

  it('types that no type has together are told as such', async () => {
    mkdirSync(path('mixed'));
    await write('mixed/1.parquet', 'SELECT toInt64(1) AS a FROM first');
    await register('mixed', 'mixed,format=parquet,materialize=false');
    await write('mixed/2.parquet', "SELECT 'x' AS a FROM first");
    expect(await rows('mixed')()).toEqual(failing('no type has both'));
  });

  describe('in a store', () => {
    let s3: S3;
    let edge: Edge;
    beforeAll(async () => {
      s3 = await startS3();
      await write('narrow.parquet', 'SELECT toInt8(1) AS a FROM first');
      await write('wide.parquet', 'SELECT toInt64(300) AS a FROM first');
      writeFileSync(path('a.csv'), 'a\n1\n');
      writeFileSync(path('deep.json'), deep(17));
      writeFileSync(path('flat.json'), deep(16));
      await s3.put('csv/1.csv', path('a.csv'));
      await s3.put('pq/1.parquet', path('narrow.parquet'));
      await s3.put('one.parquet', path('narrow.parquet'));
      await s3.put('json/1.json', path('flat.json'));
      await s3.put('deep/1.json', path('flat.json'));
      await s3.put('deep/2.json', path('deep.json'));
      const tables = ['csv/,format=csv', 'pq/,format=parquet', 'one.parquet', 'json/,format=json'];
      edge = await startEdge(
        tables.flatMap((table) => ['-t', `${table.replace(/\W.*/, '')}=s3://${BUCKET}/${table}`]),
        { variables: s3.variables },
      );
    }, 120_000);
    afterAll(async () => {
      await edge.stop();
      await s3.stop();
    });

    it('a wider type is not cut', async () => {
      for (const [table, key] of [['pq', 'pq/2.parquet'], ['one', 'one.parquet']] as const) {
        expect((await asked(() => edge, table)())[0]).toBe(200);
        await s3.put(key, path('wide.parquet'));
        expect(await asked(() => edge, table)()).toEqual(failing(OTHER_TYPE));
      }
    }); // prettier-ignore

    it('a folder without objects is no empty table', async () => {
      expect((await asked(() => edge, 'csv')())[0]).toBe(200);
      await s3.remove('csv/1.csv');
      expect(await asked(() => edge, 'csv')()).toEqual(failing(LOST));
    });

    it('JSON that is too deep is refused', async () => {
      expect((await asked(() => edge, 'json')())[0]).toBe(200);
      const uri = `s3://${BUCKET}/deep/,format=json`;
      const made = await edge.post('/api/table', [{ tableName: 'deep', uri }]);
      expect([made.status, made.text]).toEqual([400, expect.stringContaining('more than 16 levels')]);
    }); // prettier-ignore
  });

  describe('behind HTTP', () => {
    const files = new Map<string, string | Buffer>();
    let server: Server;
    let url: string;
    beforeAll(async () => {
      server = createServer(({ url: at = '' }, response) => {
        const text = files.get(at);
        response.writeHead(text === undefined ? 404 : 200).end(text);
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    });
    afterAll(() => {
      server.closeAllConnections();
      server.close();
    });

    it('a file of several that is lost is missed', async () => {
      for (const at of ['/1.csv', '/2.csv']) files.set(at, 'a\n1\n');
      await register('far', `${url}/{1,2}.csv`);
      expect((await rows('far')())[0]).toBe(200);
      files.delete('/2.csv');
      expect((await rows('far')())[0]).toBe(503);
    });

    it('CSV is read as it is written, or refused', async () => {
      files.set('/odd.csv', 'sep=;\na; b ;"c"\n1; x ; "y"\n');
      await register('odd', `${url}/odd.csv`);
      // Quotes behind blanks: blanks around others are dropped.
      expect(await rows('odd')()).toEqual([200, '[\n{"a":1,"b":"x","c":"y"}\n]\n']);
      files.set('/odd.csv', 'a; b ;c\n1; x ;2\n');
      await register('odd', `${url}/odd.csv`);
      expect(await rows('odd')()).toEqual([200, '[\n{"a":1,"b":" x ","c":2}\n]\n']);
      files.set('/odd.csv', Buffer.from('a\nB\u00e4r\n', 'latin1'));
      const made = await own.edge.post('/api/table', [{ tableName: 'l', uri: `${url}/odd.csv` }]);
      expect([made.status, made.text]).toEqual([400, expect.stringContaining('not written as UTF-8')]);
    }); // prettier-ignore

    it('JSON that is too deep is refused', async () => {
      files.set('/deep.json', deep(40));
      const made = await own.edge.post('/api/table', [{ tableName: 'd', uri: `${url}/deep.json` }]);
      expect([made.status, made.text]).toEqual([400, expect.stringContaining('more than 16 levels')]);
    }); // prettier-ignore

    it('JSON with records by their names is refused, and its large fields are texts', async () => {
      const keyed = Array.from({ length: 11_000 }, (_, n) => `"id${n}": {"n": ${n}}`).join(', ');
      files.set('/keyed.json', `{${keyed}}`);
      const uri = `${url}/keyed.json`;
      const made = await own.edge.post('/api/table', [{ tableName: 'k', uri }]);
      expect([made.status, made.text]).toEqual([400, expect.stringContaining('more than 10000 places')]);
      await register('k', `${uri},pointer=`);
      const sql = 'SELECT count() AS n, sum(value.n) AS sum FROM k';
      expect((await own.edge.sql(sql)).json()).toEqual([{ n: 11_000, sum: 60_494_500 }]);
      files.set('/keyed.json', `{"v": 1, "all": {${keyed}}}`);
      await register('k', uri);
      const sized = await own.edge.sql('SELECT v, length(all) AS size FROM k');
      expect(sized.json()).toEqual([{ v: 1, size: keyed.length + 2 }]);
    }); // prettier-ignore
  });
});
