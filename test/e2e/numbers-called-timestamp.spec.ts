import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEdge, type Edge } from '../server/start-edge.js';

/** Files of other programs count seconds, or microseconds, in a column that is called so. */
describe('a column _timestamp of numbers in a file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-numbers-'));
  let edge: Edge;
  beforeAll(async () => {
    const tables = { seconds: [1767225600.5, 1767225661.5], micros: [1767225600000000, 1767225661000000] }; // prettier-ignore
    const args = Object.entries(tables).flatMap(([name, times]) => {
      const file = join(directory, `${name}.ndjson`);
      writeFileSync(file, times.map((time) => `{"_timestamp":${time}}\n`).join(''));
      return ['--table', `${name}=${file}`];
    });
    edge = await startEdge(args);
  });
  afterAll(async () => {
    await edge.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each([
    ['SELECT max(_timestamp) / 2 AS x, max(_timestamp) % 60 AS y FROM seconds', [883612830.75, 1.5]], // prettier-ignore
    ['SELECT max(_timestamp) - min(_timestamp) AS x, max(_timestamp) - 60 AS y FROM seconds', [61, 1767225601.5]], // prettier-ignore
    ['SELECT count(*) AS x FROM seconds WHERE _timestamp > 1767225600000', [0]],
    ['SELECT min(_timestamp) / 1e6 AS x, min(_timestamp) / 2.5 AS y FROM micros', [1767225600, 706890240000000]], // prettier-ignore
    ['SELECT max(_timestamp) - min(_timestamp) AS x FROM micros', [61000000]],
  ])('is a number: %s', async (sql, values) => {
    const answer = await edge.sql(sql);
    expect(answer.status).toBe(200);
    expect(
      answer
        .json<object[]>()
        .flatMap((row) => Object.values<unknown>(row as Record<string, unknown>)),
    ).toEqual(values);
  });
});
