import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  dateText,
  timestampText,
  timeText,
} from '../../libs/acceptance/table/sql/civil-time.sql.js';
import { seededRandom } from '../fixtures/seeded-random.js';
import { openLocalEngine } from '../server/open-local-engine.js';

const DAY_MS = 86_400_000;
/** JavaScript's own dates hold so many days on either side of 1970: about 270,000 years. */
const JS_DAYS = 100_000_000;
const COUNT = 2000;

describe('times as text, by the engine and by JavaScript', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-times-'));
  const engine = openLocalEngine(directory);
  afterAll(async () => {
    await engine.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const texts = async (values: readonly (number | bigint)[], sql: string): Promise<unknown> =>
    JSON.parse(
      await engine.run(
        `SELECT toJSONString(groupArray(text)) FROM (SELECT ${sql} AS text FROM (SELECT toInt64(arrayJoin([${values.join(', ')}])) AS v))`,
      ),
    );
  const random = seededRandom(20240229);
  const between = (low: number, high: number): number => Math.floor(low + random() * (high - low));
  /** Near the ends of every range that matters, and anywhere. */
  const days = [
    ...[-719_528, -719_163, -719_162, -141_428, -25_568, -25_567, -1, 0, 1, 59, 84_005],
    ...[120_529, 120_530, 2_932_896, 2_932_897],
    ...Array.from({ length: COUNT }, () => between(-800_000, 3_000_000)),
  ];
  const iso = (ms: number): string => {
    const date = new Date(ms);
    const year = date.getUTCFullYear();
    const text = `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}`;
    return (
      text +
      date
        .toISOString()
        .replace(/^[+-]?\d+(?=-\d\d-)/, '')
        .slice(0, -1)
    );
  };

  it('agree on dates', async () => {
    expect(Math.max(...days.map(Math.abs))).toBeLessThan(JS_DAYS);
    expect(await texts(days, dateText('v'))).toEqual(
      days.map((day) => iso(day * DAY_MS).replace(/T.*/, '')),
    );
  });

  it.each([3, 6] as const)('agree on times with %i digits', async (digits) => {
    const factor = 10n ** BigInt(digits - 3);
    const moments = days.map((day) => day * DAY_MS + between(0, DAY_MS));
    const rests = moments.map(() => BigInt(between(0, Number(factor))));
    const ticks = moments.map((ms, index) => BigInt(ms) * factor + (rests[index] ?? 0n));
    expect(await texts(ticks, timestampText('v', digits))).toEqual(
      moments.map(
        (ms, index) => iso(ms) + (digits === 3 ? '' : String(rests[index]).padStart(3, '0')),
      ),
    );
  });

  it('agree on nanoseconds, as far as 64 bits go', async () => {
    const ticks = [-(2n ** 63n) + 1n, -1n, 0n, 2n ** 63n - 1n, 7_258_118_400n * 10n ** 9n];
    expect(await texts(ticks, timestampText('v', 9))).toEqual([
      '1677-09-21T00:12:43.145224193',
      '1969-12-31T23:59:59.999999999',
      '1970-01-01T00:00:00.000000000',
      '2262-04-11T23:47:16.854775807',
      '2200-01-01T00:00:00.000000000',
    ]);
  });

  it('agree on the time of day', async () => {
    expect(await texts([0, 3_723_000_004, 86_399_999_999], timeText('v', 6))).toEqual([
      '00:00:00.000000',
      '01:02:03.000004',
      '23:59:59.999999',
    ]);
  });

  it('keep lengths of time that some writers have in place of times of day', async () => {
    const ticks = [90_000_000_000, 363_723_000_004, -5_400_000_001];
    expect(await texts(ticks, timeText('v', 6))).toEqual([
      '25:00:00.000000',
      '101:02:03.000004',
      '-01:30:00.000001',
    ]);
    expect(await texts([-1, 86_400, 35_999], timeText('v', 0))).toEqual([
      '-00:00:01',
      '24:00:00',
      '09:59:59',
    ]);
  });
});
