import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  Field,
  Int64,
  List,
  Null,
  Struct,
  Table,
  tableToIPC,
  Utf8,
  vectorFromArray,
  type DataType,
} from 'apache-arrow';
import { edgeInFolder } from '../../server/edge-in-folder.js';
import { until } from '../../server/until.js';

type Values = readonly [type: DataType, values: unknown[]];

/** Python's library writes columns without a value so; an upload takes them, too. */
describe('columns of the type null of Arrow', () => {
  const own = edgeInFolder('edge-arrow-null-');
  const { folder } = own;

  const write = (name: string, columns: Record<string, Values>): Buffer => {
    const vectors = Object.entries(columns).map(([column, [type, values]]) => [column, vectorFromArray(values, type)] as const); // prettier-ignore
    const bytes = tableToIPC(new Table(Object.fromEntries(vectors)), name.includes('.arrows') ? 'stream' : 'file'); // prettier-ignore
    writeFileSync(join(folder, name), name.endsWith('.gz') ? gzipSync(bytes) : bytes);
    return Buffer.from(bytes);
  };
  const register = (uri: string) => own.edge.post('/api/table', [{ tableName: 't', uri }]);
  const rows = async (sql = 'SELECT * FROM t'): Promise<unknown> => (await own.edge.sql(sql)).json(); // prettier-ignore
  const types = async (): Promise<unknown> => {
    const answer = await own.edge.get('/api/schema/t');
    const told = answer.json<{ fields: { name: string; data_type: unknown; nullable: boolean }[] }>(); // prettier-ignore
    return told.fields.map(({ name, data_type: type, nullable }) => [name, type, nullable]);
  };

  const nulls: Values = [new Null(), [null, null]];
  const some = {
    x: nulls,
    a: [new Int64(), [1n, 2n]],
    y: nulls,
    b: [new Utf8(), ['p', 'q']],
  } as const satisfies Record<string, Values>;

  it.each([
    ['n.arrow', 'n.arrow'],
    ['n.arrow', 'n.arrow,materialize=true'],
    ['n.arrow', 'n.arrow,materialize=false'],
    ['n.arrows', 'n.arrows'],
    ['n.arrow.gz', 'n.arrow.gz'],
  ])('are null in %s, at their places (%s)', async (name, uri) => {
    write(name, some);
    const { status, text } = await register(uri);
    expect([status, text]).toEqual([200, expect.anything()]);
    expect(await rows()).toEqual([
      { x: null, a: 1, y: null, b: 'p' },
      { x: null, a: 2, y: null, b: 'q' },
    ]);
    expect(await types()).toEqual([
      ['x', 'Utf8', true],
      ['a', 'Int64', true],
      ['y', 'Utf8', true],
      ['b', 'Utf8', true],
    ]);
    expect(await rows('SELECT count(*) AS n FROM t WHERE x IS NULL')).toEqual([{ n: 2 }]);
  });

  it('may be all that a file has', async () => {
    write('only.arrow', { x: nulls });
    expect((await register('only.arrow')).status).toBe(200);
    expect(await rows()).toEqual([{ x: null }, { x: null }]);
  });

  it('may be within lists and structs', async () => {
    const list = new List(new Field('item', new Null(), true));
    const struct = new Struct<Record<string, DataType>>([
      new Field('p', new Int64(), true),
      new Field('q', new Null(), true),
    ]);
    write('within.arrow', {
      l: [list, [[], [null]]],
      s: [
        struct,
        [
          { p: 5n, q: null },
          { p: 6n, q: null },
        ],
      ],
    });
    expect((await register('within.arrow')).status).toBe(200);
    expect(await rows()).toEqual([
      { l: [], s: { p: 5, q: null } },
      { l: [null], s: { p: 6, q: null } },
    ]);
  });

  it('have the type of another file, which may come later', async () => {
    mkdirSync(join(folder, 'many'));
    write('many/1.arrow', { x: nulls });
    write('many/2.arrow', { x: [new Int64(), [7n, null]], z: nulls });
    expect((await register('many,format=arrow')).status).toBe(200);
    expect(await types()).toEqual([
      ['x', 'Int64', true],
      ['z', 'Utf8', true],
    ]);
    expect(await rows('SELECT sum(x) AS n, count(z) AS z, count(*) AS rows FROM t')).toEqual([
      { n: 7, z: 0, rows: 4 },
    ]);
    rmSync(join(folder, 'many/2.arrow'));
    expect((await register('many,format=arrow,materialize=false')).status).toBe(200);
    expect(await rows('SELECT count(x) AS n FROM t')).toEqual([{ n: 0 }]);
    write('many/3.arrow', { x: [new Utf8(), ['late']], y: [new Null(), [null]] });
    expect(await rows('SELECT count(x) AS n, max(x) AS x FROM t')).toEqual([{ n: 1, x: 'late' }]);
  });

  it('may come with a file that takes the place of another', async () => {
    const a: Values = [new Int64(), [1n, 2n]];
    write('changes.arrow', { a, x: a });
    expect((await register('changes.arrow,materialize=false')).status).toBe(200);
    expect(await rows('SELECT sum(x) AS n FROM t')).toEqual([{ n: 3 }]);
    write('next', { a, x: nulls });
    renameSync(join(folder, 'next'), join(folder, 'changes.arrow'));
    await until(async () => (await own.edge.sql('SELECT count(x) AS n FROM t')).status === 200);
    expect(await rows('SELECT sum(a) AS a, count(x) AS n FROM t')).toEqual([{ a: 3, n: 0 }]);
  });

  it('are refused within lists where they claim to be never null', async () => {
    const list = new List(new Field('item', new Null(), false));
    write('never.arrow', { a: [new Int64(), [1n]], l: [list, [[null]]] });
    const { status, text } = await register('never.arrow');
    expect([status, text]).toEqual([400, expect.stringContaining("of Arrow's type null")]);
  });

  it('are declared of files elsewhere', async () => {
    const bytes = write('far.arrow', some);
    const server = createServer((_request, response) => response.end(bytes));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    try {
      const { port } = server.address() as AddressInfo;
      const uri = `http://127.0.0.1:${port}/far.arrow`;
      const { status, text } = await register(uri);
      expect([status, text]).toEqual([400, expect.stringContaining('declare it in `schema`')]);
      const column = (name: string, type: string): unknown => ({ name, data_type: type, nullable: true }); // prettier-ignore
      const schema = JSON.stringify({ columns: [column('x', 'Utf8'), column('a', 'Int64')] });
      expect((await register(`${uri},schema=${schema}`)).status).toBe(200);
      expect(await rows()).toEqual([
        { x: null, a: 1 },
        { x: null, a: 2 },
      ]);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});
