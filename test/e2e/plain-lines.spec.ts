import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeParquet } from '../server/make-parquet.js';
import { startServer, type Server } from '../server/start-server.js';

const RECORDS = 60_000;
const numbers = Array.from({ length: RECORDS }, (_, n) => n);

const fields = (n: number) => ({
  n,
  text: `${n} "é\n😀" ${'y'.repeat(n % 90)}`,
  price: n / 8,
  tags: [`t${n % 7}`],
  is_odd: n % 2 === 1,
  none: n % 5 === 0 ? null : `${n}`,
});

/** Some lines are refused, some blank, and some have a time that is written otherwise. */
const line = (n: number): string => {
  if (isRefused(n)) return '{"n":';
  const time = { _timestamp: new Date(n * 1000).toISOString() };
  const record = JSON.stringify({ ...(n % 100 === 3 ? time : {}), ...fields(n) });
  return n % 100 === 4 ? `\n ${record}` : record;
};
const isRefused = (n: number): boolean => n % 1000 === 7;

const csvLine = (n: number): string => {
  const { text, price, is_odd, none } = fields(n);
  return [n, `"${text.replaceAll('"', '""')}"`, price, is_odd, none ?? ''].join(',');
};

/**
 * Where the disk is fast, which is learned from the first large upload, lines are queued
 * uncompressed. Where it is not, these tests see the others.
 */
describe('large uploads, one after the other', () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-plain-'));
  let server: Server;
  /** The endings of the files that came onto the queue. */
  const endings = new Set<string>();
  beforeAll(async () => {
    server = await startServer({ dataDirectory });
    watch(join(dataDirectory, 'queue', 'payloads'), { persistent: false }, (_, name) =>
      endings.add(/\..*$/.exec(name ?? '')?.[0] ?? ''),
    );
    // Lines that hardly become smaller, so that the disk has enough to write.
    const lines = Array.from({ length: 6000 }, () => ({ x: randomBytes(1200).toString('base64') }));
    await server.client.upload('learned', lines);
  });
  afterAll(async () => {
    process.stdout.write(`queued as ${[...endings].sort().join(', ')}\n`);
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  const rowsOf = (stream: string) =>
    server.client.sql(`SELECT n, text, price, tags, is_odd, none FROM ${stream} ORDER BY n`);

  it.each([
    ['as they came', `${numbers.map((n) => JSON.stringify(fields(n))).join('\n')}\n`],
    ['without a line break at the end', numbers.map((n) => JSON.stringify(fields(n))).join('\n')],
  ])('have their values: lines %s', async (_, body) => {
    const stream = `whole${body.length}`;
    expect(await server.client.upload(stream, body)).toMatchObject({ successful: RECORDS });
    expect(await rowsOf(stream)).toEqual(numbers.map(fields));
  });

  it('have their values where some lines are written otherwise, and others refused', async () => {
    const kept = numbers.filter((n) => !isRefused(n));
    const failed = RECORDS - kept.length;
    expect(await server.client.upload('mixed', numbers.map(line).join('\n'))).toMatchObject({
      ...{ successful: kept.length, failed },
    });
    expect(await rowsOf('mixed')).toEqual(kept.map(fields));
    const timed = `SELECT count() AS n FROM mixed WHERE toUnixTimestamp(_timestamp) = n`;
    expect(await server.client.sql(timed)).toEqual([
      { n: numbers.filter((n) => n % 100 === 3 && !isRefused(n)).length },
    ]);
    expect(
      await server.client.sql(
        `SELECT count() AS n, uniqExact(line) AS lines FROM _rejected WHERE stream = 'mixed' AND record = '{"n":'`,
      ),
    ).toEqual([{ n: failed, lines: failed }]);
  });

  it('have their values: CSV', async () => {
    const body = `n,text,price,is_odd,none\n${numbers.map(csvLine).join('\n')}`;
    expect(await server.client.uploadTo('csv/_csv', body)).toMatchObject({ successful: RECORDS });
    const rows = await server.client.sql(
      `SELECT n, text, price, is_odd, toString(none) AS none FROM csv ORDER BY n`,
    );
    expect(rows).toEqual(
      numbers.map((n) => {
        const { tags, ...rest } = fields(n);
        return tags.length === 1 ? rest : undefined;
      }),
    );
  });

  it('are compressed where they would become many times as long: rows of few bytes of CSV', async () => {
    endings.clear();
    const rows = 700_000;
    const status = await server.client.uploadTo('narrow/_csv', `n\n${'1\n'.repeat(rows)}`);
    expect(status).toMatchObject({ successful: rows });
    expect([...endings]).not.toContain('.accepted.compact.ndjson');
    expect(await server.client.sql('SELECT sum(n) AS sum FROM narrow')).toEqual([{ sum: rows }]);
  });

  it.each([
    ['a stream with more columns', 'wider', 'number AS n, repeat(toString(number), 20) AS text'],
    ['few bytes a row', 'slim', 'number AS n'],
  ])(
    'are compressed where they would become many times as long: a table and %s',
    async (_, stream, columns) => {
      const rows = 400_000;
      const file = join(dataDirectory, `${stream}.parquet`);
      writeParquet(`SELECT ${columns} FROM numbers(${rows})`, file);
      await server.client.upload('wider', [{ n: 0, text: '', other: 1 }]);
      endings.clear();
      const status = await server.client.uploadTo(`${stream}/_parquet`, readFileSync(file));
      expect(status).toMatchObject({ successful: rows });
      expect([...endings]).not.toContain('.accepted.native');
      const sum = (rows * (rows - 1)) / 2;
      expect(await server.client.sql(`SELECT sum(n) AS sum FROM ${stream}`)).toEqual([{ sum }]);
    },
  );

  it('are there once after a kill right behind the answer', async () => {
    const body = `${numbers.map((n) => JSON.stringify(fields(n))).join('\n')}\n`;
    await server.client.upload('killed', [fields(0)]);
    const answer = await server.client.call('killed/_json', { body });
    expect(answer.status).toBe(200);
    await server.kill();
    server = await startServer({ dataDirectory });
    await server.client.upload('killed', [fields(0)]);
    const count = `SELECT count() AS n, uniqExact(n) AS different, sum(n) AS sum FROM killed`;
    const sum = (RECORDS * (RECORDS - 1)) / 2;
    expect(await server.client.sql(count)).toEqual([{ n: RECORDS + 2, different: RECORDS, sum }]);
  });
});
