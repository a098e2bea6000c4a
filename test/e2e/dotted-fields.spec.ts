import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type Server } from '../server/start-server.js';

/** Fields with dots in their names, which the engine takes for ways into columns. */
describe('fields with dots', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-'));
  let server: Server;
  beforeAll(async () => {
    server = await startServer({ dataDirectory });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  const rows = (stream: string, columns: string): Promise<Record<string, unknown>[]> =>
    server.client.sql(`SELECT ${columns} FROM ${stream} ORDER BY _timestamp`);

  it('of single values stand beside those before their dots, in any order, through a restart', async () => {
    const sent = [
      { 'error.message': 'x' },
      { error: 'boom' },
      { 'c.d.e': 1 },
      { 'c.d': 2 },
      { c: 3, 'c.f': true },
      { c: 3.5 },
      { z: 1, error: 'again', 'error.message': 'y' },
    ];
    for (const [second, record] of sent.entries())
      expect(await server.client.upload('single', [{ ...record, _timestamp: second + 1 }])).toEqual(
        {
          name: 'single',
          successful: 1,
          failed: 0,
        },
      );
    const columns = 'error, error.message, c, c.d, c.d.e, c.f, z';
    const all = sent.map((record) => ({
      ...Object.fromEntries(columns.split(', ').map((name) => [name, null])),
      ...record,
    }));
    expect(await rows('single', columns)).toEqual(all);
    expect((await rows('single', '*')).map(({ _timestamp, ...row }) => row)).toEqual(all);
    const settings = { partition_keys: ['error', 'c.d'], full_text_search_keys: ['error.message'] };
    const answer = await server.client.call('/api/default/single/settings', {
      body: JSON.stringify(settings),
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(200);
    await server.stop();
    server = await startServer({ dataDirectory });
    expect(await rows('single', columns)).toEqual(all);
  });

  it.each<[string, object, object, string]>([
    ['an object', { a: { x: 1 } }, { 'a.x': [1] }, 'a.x'],
    ['a path of an object', { j: { k: 1 } }, { 'j.k': 5 }, 'j.k'],
    ['what was there before', { 'a.x': 1 }, { a: { x: 2 } }, 'a'],
    ['the length of a list', { s: [1] }, { 's.size0': 2 }, 's.size0'],
    ['the nulls of a list', { s: [1] }, { 's.null': 2 }, 's.null'],
    ['the null of a number', { s: 1 }, { 's.null': 2 }, 's.null'],
    ['a list within a list', { s: [1] }, { 's.arr': [2] }, 's.arr'],
    ['lists of one kind', { 'a.b': [1, 2] }, { 'a.c': [1] }, 'a.c'],
  ])('that the engine would mix up are refused alone: %s', async (name, first, second, field) => {
    const stream = `mixed_${name.replace(/\W/g, '_')}`;
    await server.client.upload(stream, [{ ...first, n: 1 }]);
    const mixed = await server.client.upload(stream, [{ n: 2 }, { ...second, n: 3 }, { n: 4 }]);
    expect(mixed).toMatchObject({ successful: 2, failed: 1 });
    const [other = ''] = Object.keys(first);
    expect(mixed.error).toContain(`record 2: field "${field}": `);
    expect(mixed.error).toContain(`cannot stand beside the field "${other}"`);
    expect(await server.client.upload(stream, [{ n: 5 }])).toMatchObject({ successful: 1 });
    const [whole] = await rows(stream, `*`);
    expect(whole).toMatchObject({ ...first, n: 1 });
    expect(await rows(stream, 'n')).toEqual([1, 2, 4, 5].map((n) => ({ n })));
    expect(
      await server.client.sql(`SELECT record FROM _rejected WHERE stream = '${stream}'`),
    ).toEqual([{ record: JSON.stringify({ ...second, n: 3 }) }]);
  });

  it.each(['null', 'size0'])(
    'that are lists named %s, which end the engine or every command, are refused alone',
    async (name) => {
      const stream = `kept_${name}`;
      const status = await server.client.upload(stream, [{ n: 1 }, { [`a.${name}`]: [1] }]);
      expect(status).toMatchObject({ successful: 1, failed: 1 });
      expect(status.error).toContain('cannot be a list');
      expect(await rows(stream, '* EXCEPT _timestamp')).toEqual([{ n: 1 }]);
      expect(await server.client.upload(stream, [{ m: 2 }])).toMatchObject({ successful: 1 });
    },
  );

  it('of lists below a single value are refused, as those are which come before it', async () => {
    await server.client.upload('below', [{ a: 1 }, { 'b.x': [1] }]);
    const status = await server.client.upload('below', [{ 'a.x': [1] }, { b: 2 }, { n: 1 }]);
    expect(status).toMatchObject({ successful: 1, failed: 2 });
    expect(await server.client.count('below')).toBe(3);
  });

  it('that clash within one record refuse that record, not the upload', async () => {
    const status = await server.client.upload('within', [
      { 'a.b': [1, 2], 'a.c': [1] },
      { 'a.b': [1, 2] },
    ]);
    expect(status).toMatchObject({ successful: 1, failed: 1 });
    expect(await rows('within', 'a.b')).toEqual([{ 'a.b': [1, 2] }]);
  });

  it('are refused by settings, and by the header of a CSV file row by row', async () => {
    await server.client.upload('declared', [{ s: [1] }]);
    const answer = await server.client.call('/api/default/declared/settings', {
      body: JSON.stringify({ columns: { 's.size0': 'Int64' } }),
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(400);
    expect(answer.json<{ message: string }>().message).toMatch(
      /^columns: "s.size0" cannot stand beside the field "s": .*rename/,
    );
    const csv = await server.client.call('/api/default/declared/_csv?wait=true', {
      body: 's.size0,n\n5,1\n,2\n',
    });
    expect(csv.json()).toMatchObject({ status: [{ successful: 1, failed: 1 }] });
    expect(csv.bytes.toString()).toContain('cannot stand beside the field');
  });

  it('are taken of a declaration before the first value, in any order', async () => {
    const answer = await server.client.call('/api/default/before/settings', {
      body: JSON.stringify({ columns: { 'a.b': 'Utf8', a: 'Utf8' } }),
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(200);
    await server.client.upload('before', [{ a: 'x' }, { 'a.b': 'y' }]);
    expect(await server.client.count('before')).toBe(2);
  });
});
