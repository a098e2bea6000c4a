import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEdge, type Edge } from '../../server/start-edge.js';

describe('fields of CSV', () => {
  const delimiters = { tab: '\t', blank: ' ', semicolon: ';', bar: '|' };
  let folder: string;
  let edge: Edge;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'edge-delimiters-'));
    const tables = Object.entries(delimiters).flatMap(([name, delimiter]) => {
      const rows = [
        ['id', 'name', 'price'],
        ['1', '"a b"', '1.5'],
        ['2', '', '2.5'],
      ];
      const text = rows.map((row) => `${row.join(delimiter)}\n`).join('');
      writeFileSync(join(folder, `${name}.csv`), text);
      const option = name === 'tab' ? 'tab' : delimiter;
      return ['-t', `${name}=${name}.csv,delimiter=${option}`];
    });
    edge = await startEdge(tables, { directory: folder });
  });
  afterAll(async () => {
    await edge.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(Object.keys(delimiters))('are parted by a %s', async (table) => {
    expect((await edge.sql(`SELECT * FROM ${table} ORDER BY id`)).json()).toEqual([
      { id: 1, name: 'a b', price: 1.5 },
      { id: 2, name: null, price: 2.5 },
    ]);
  });
});
