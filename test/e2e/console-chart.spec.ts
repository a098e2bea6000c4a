import { jest } from '@jest/globals';
import type { Browser, Download, Page } from 'playwright-core';
import { accessFaults, openBrowser, signIn, watchPage } from '../server/browser.js';
import { inBrowser } from '../server/in-browser.js';
import { readParquet } from '../server/read-result.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

jest.setTimeout(240_000);

const EXACT = 9_007_199_254_740_993n;
/** Records of each hour, by level. */
const COUNTS = [
  { error: 8, info: 10 },
  { error: 9, info: 10 },
  { error: 10, info: 8 },
];
const BY_LEVEL =
  'SELECT toStartOfHour(_timestamp) AS hour, level, count() AS records FROM logs GROUP BY hour, level ORDER BY hour, level';
/** The colours of the first two series. */
const [ERROR, INFO] = ['#1f77b4', '#d95f02'] as const;

/** Runs of one colour, from the left to the right, just above the chart's baseline. */
const RUNS = `(() => {
  const canvas = document.querySelector('.chart canvas');
  const over = document.querySelector('.chart .u-over').getBoundingClientRect();
  const own = canvas.getBoundingClientRect();
  const ratio = canvas.width / own.width;
  const y = Math.round((over.bottom - own.top - 4) * ratio);
  const { data } = canvas.getContext('2d').getImageData(0, y, canvas.width, 1);
  const runs = [];
  for (let at = 0; at < data.length; at += 4) {
    if (data[at + 3] < 250) continue;
    const colour = '#' + [...data.slice(at, at + 3)].map((each) => each.toString(16).padStart(2, '0')).join('');
    if (runs.at(-1)?.colour === colour) runs.at(-1).pixels += 1;
    else runs.push({ colour, pixels: 1 });
  }
  return runs;
})()`;

/** Tells how much of the plot is covered by anything, from 0 to 1. */
const COVERED = `(() => {
  const canvas = document.querySelector('.chart canvas');
  const over = document.querySelector('.chart .u-over').getBoundingClientRect();
  const own = canvas.getBoundingClientRect();
  const ratio = canvas.width / own.width;
  const box = [over.left - own.left, over.top - own.top, over.width, over.height];
  const { data } = canvas.getContext('2d').getImageData(...box.map((each) => Math.round(each * ratio)));
  let pixels = 0;
  for (let at = 3; at < data.length; at += 4) if (data[at] > 60) pixels += 1;
  return pixels / (data.length / 4);
})()`;

/** Notes in `hadGap` whether there was a moment without a chart. */
const WATCH_FOR_A_GAP = `(() => {
  globalThis.hadGap = false;
  const look = () => { globalThis.hadGap ||= document.querySelector('.chart canvas') === null; };
  new MutationObserver(look).observe(document.querySelector('.chart'), { childList: true, subtree: true });
})()`;

/** Tells how many pixels have about this colour, however thin it is laid on. */
const inked = (colour: string): string => `(() => {
  const wanted = [1, 3, 5].map((at) => parseInt('${colour}'.slice(at, at + 2), 16));
  const canvas = document.querySelector('.chart canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let pixels = 0;
  for (let at = 0; at < data.length; at += 4)
    if (data[at + 3] > 60 && wanted.every((each, n) => Math.abs(each - data[at + n]) < 12)) pixels += 1;
  return pixels;
})()`;

interface Run {
  readonly colour: string;
  readonly pixels: number;
}

function drawing(): void {
  let server: Server;
  let browser: Browser;
  let page: Page;
  let complaints: () => readonly string[];

  const status = () => page.locator('.status');
  const chart = () => page.getByRole('region', { name: 'Chart' });
  const ask = async (sql: string, rows: number): Promise<void> => {
    await page.getByRole('textbox', { name: 'SQL statement' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(sql);
    await page.keyboard.press('Control+Enter');
    await status().getByText(`${rows} rows in`).waitFor();
  };
  /** Resolves when the chart is drawn as this. */
  const draw = async (kind: 'Line' | 'Area' | 'Bars'): Promise<void> => {
    await chart().getByRole('button', { name: kind }).click();
    await chart()
      .getByRole('img', { name: new RegExp(`^${kind} of error, info: 3 points`) })
      .waitFor();
    await until(async () => (await page.locator('.chart canvas').count()) === 1);
    await until(async () => (await page.evaluate<number>(inked(INFO))) > 0);
  };
  const bytesOf = async (file: Download): Promise<Buffer> => {
    const pieces: Buffer[] = [];
    for await (const piece of await file.createReadStream()) pieces.push(piece as Buffer);
    return Buffer.concat(pieces);
  };
  const download = async (format: string): Promise<Buffer> => {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: `Download ${format}` }).click(),
    ]);
    expect(file.suggestedFilename()).toBe(`millrace.${format.toLowerCase()}`);
    return bytesOf(file);
  };

  beforeAll(async () => {
    server = await startServer();
    const rows = COUNTS.flatMap((levels, hour) =>
      Object.entries(levels).flatMap(([level, count]) =>
        Array.from({ length: count }, (_, n) => ({
          _timestamp: `2026-11-20T0${hour}:10:${String(n).padStart(2, '0')}Z`,
          level,
          id: 0,
          by: { name: `ann${n % 3}`, tags: ['a', `b${n}`] },
          price: n === 0 ? 0.1 : null,
        })),
      ),
    );
    const lines = rows.map((row) => JSON.stringify(row).replace('"id":0', `"id":${EXACT}`));
    await server.client.upload('logs', lines.join('\n'));
    browser = await openBrowser();
    page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
    complaints = watchPage(page, new URL(server.url).origin);
    await signIn(page, server.url, ROOT);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  it('draws a series for each word beside a time, and names them', async () => {
    await ask(BY_LEVEL, 6);
    await page.getByRole('button', { name: 'Chart' }).click();
    await draw('Line');
    expect(await chart().locator('.u-legend .u-label').allInnerTexts()).toEqual([
      'Time (UTC)',
      'error',
      'info',
    ]);
    expect(await page.evaluate<number>(inked(ERROR))).toBeGreaterThan(0);
    // The legend tells the numbers of the hour below the pointer.
    const { x, y, width, height } = (await chart().locator('.u-over').boundingBox()) ?? {
      ...{ x: 0, y: 0, width: 0, height: 0 },
    };
    await page.mouse.move(x + width / 2, y + height / 2);
    await chart().locator('.u-legend').getByText('2026-11-20 01:00:00').waitFor();
    expect(await chart().locator('.u-legend .u-value').allInnerTexts()).toEqual([
      '2026-11-20 01:00:00',
      '9',
      '10',
    ]);
    await page.mouse.move(0, 0);
  });

  it('fills the area from each line down to zero', async () => {
    const covered = (): Promise<number> => page.evaluate<number>(COVERED);
    await draw('Line');
    await until(async () => (await covered()) < 0.1);
    await page.evaluate(WATCH_FOR_A_GAP);
    await draw('Area');
    // All numbers are between 8 and 10.
    await until(async () => (await covered()) > 0.6);
    // One chart takes the place of the other: no moment is without any.
    expect(await page.evaluate<boolean>('globalThis.hadGap')).toBe(false);
    expect(await accessFaults(page)).toEqual([]);
  });

  it('draws bars of each series beside each other, whole, and as high as their numbers', async () => {
    await draw('Bars');
    let runs: readonly Run[] = [];
    await until(async () => {
      runs = (await page.evaluate<readonly Run[]>(RUNS)).filter(({ pixels }) => pixels > 20);
      return runs.length === 2 * COUNTS.length;
    });
    expect(runs.map(({ colour }) => colour)).toEqual([ERROR, INFO, ERROR, INFO, ERROR, INFO]);
    const widths = runs.map(({ pixels }) => pixels);
    expect(Math.max(...widths) - Math.min(...widths)).toBeLessThanOrEqual(2);
    // Their area goes by their numbers: 27 errors, 28 infos.
    const [errors, infos] = [
      await page.evaluate<number>(inked(ERROR)),
      await page.evaluate<number>(inked(INFO)),
    ];
    expect(infos / errors).toBeCloseTo(28 / 27, 1);
    expect(await accessFaults(page)).toEqual([]);
  });

  it('takes the colors of the page when they change', async () => {
    const inks = (): Promise<number> =>
      page.evaluate<number>(inked('#1a2330')).then((pixels) => Math.sign(pixels));
    await page.emulateMedia({ colorScheme: 'light' });
    await until(async () => (await inks()) === 1);
    await page.emulateMedia({ colorScheme: 'dark' });
    await until(async () => (await inks()) === 0);
    await page.emulateMedia({ colorScheme: 'light' });
    await until(async () => (await inks()) === 1);
  });

  it('gives all rows as NDJSON, with nested values and every digit', async () => {
    await ask('SELECT id, level, by, price FROM logs ORDER BY _timestamp, level LIMIT 3', 3);
    const lines = (await download('NDJSON')).toString().trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain(`"id":${EXACT}`);
    expect(lines.map((line) => (JSON.parse(line) as { by: unknown; price: unknown }).by)).toEqual([
      { name: 'ann0', tags: ['a', 'b0'] },
      { name: 'ann0', tags: ['a', 'b0'] },
      { name: 'ann1', tags: ['a', 'b1'] },
    ]);
  });

  it('gives all rows as Parquet, which others read with nested values and every digit', async () => {
    const all = COUNTS.reduce((sum, { error, info }) => sum + error + info, 0);
    await ask('SELECT id, level, by, price FROM logs ORDER BY _timestamp, level', all);
    const rows = await readParquet(await download('Parquet'));
    expect(rows).toHaveLength(all);
    expect(rows[0]).toEqual({
      id: EXACT,
      level: 'error',
      by: { name: 'ann0', tags: ['a', 'b0'] },
      price: 0.1,
    });
    expect(rows[2]).toMatchObject({ by: { name: 'ann1', tags: ['a', 'b1'] }, price: null });
  });

  it('has complained of nothing, and asked nobody else', () => {
    expect(complaints()).toEqual([]);
  });
}

inBrowser(() => {
  describe('charts and downloads, in a browser', drawing);
});
