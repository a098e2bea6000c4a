import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { edgeInFolder } from '../../server/edge-in-folder.js';

const ROWS = 200_000;

describe('files that are written anew while they are read', () => {
  const own = edgeInFolder('edge-rewritten-');

  it('fail a query at most, and not the program', async () => {
    const file = join(own.folder, 't.csv');
    const text = `a,b\n${Array.from({ length: ROWS }, (_, n) => `${n},x${n}\n`).join('')}`;
    writeFileSync(file, text);
    const table = { tableName: 't', uri: 't.csv,materialize=false' };
    expect((await own.edge.post('/api/table', [table])).status).toBe(200);
    let asked = 0;
    const asking = Array.from({ length: 4 }, async () => {
      while (asked < 60) {
        asked += 1;
        await own.edge.sql(`SELECT sum(a), max(b), ${asked} FROM t`);
      }
    });
    let isDone = false;
    const all = Promise.all(asking).finally(() => (isDone = true));
    while (!isDone) {
      // A program that writes a file in place makes it empty first.
      writeFileSync(file, '');
      writeFileSync(file, text);
      await new Promise(setImmediate);
    }
    await all;
    const { text: answer } = await own.edge.sql('SELECT count() AS n FROM t');
    expect(JSON.parse(answer)).toEqual([{ n: ROWS }]);
  });
});
