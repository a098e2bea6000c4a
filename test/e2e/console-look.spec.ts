import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { jest } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser, signIn, watchPage } from '../server/browser.js';
import { inBrowser } from '../server/in-browser.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

jest.setTimeout(240_000);

const WIDE = { width: 3840, height: 2160 };
const NARROW = { width: 360, height: 740 };
const PAGES = [
  ...['ask', 'search', 'upload', 'streams', 'people', 'tokens'],
  ...['organization', 'audit', 'server', 'account'],
];
/** Web Vitals call a shift of 0.1 good. */
const SHIFT_MAX = 0.02;
/** Others may use the machine meanwhile. */
const TRIES = 20;
const INTERACTIVE_MS = 1000;
const isWithin = (times: readonly number[]): boolean => Math.min(...times) < INTERACTIVE_MS;
/** A line of words that are read as sentences may have so many letters. */
const LINE_LETTERS_MAX = 110;

/** Sums up, from the first frame on, how much moves without anybody's doing. */
const WATCH_SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      if (!entry.hadRecentInput)
        window.shifts.push({
          value: entry.value,
          what: entry.sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? node?.nodeName),
        });
  }).observe({ type: 'layout-shift', buffered: true });
`;

interface Shift {
  readonly value: number;
  readonly what: readonly string[];
}

function looking(): void {
  let server: Server;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: () => readonly string[];

  let opened = 0;

  /**
   * The page at this address, opened anew, when it is at rest. The number makes it another address.
   * To go there by a blank page would start a process of the browser each time.
   */
  const open = async (hash: string): Promise<void> => {
    opened += 1;
    await page.goto(`${server.url}/?${opened}${hash}`, { waitUntil: 'networkidle' });
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  };
  const ask = (sql: string): string => `#/ask?org=default&sql=${encodeURIComponent(sql)}`;
  const width = async (selector: string): Promise<number> =>
    (await page.locator(selector).first().boundingBox())?.width ?? 0;
  const height = async (selector: string): Promise<number> =>
    (await page.locator(selector).first().boundingBox())?.height ?? 0;

  beforeAll(async () => {
    server = await startServer();
    const rows = Array.from({ length: 2000 }, (_, n) => ({
      _timestamp: (Date.now() - n * 20_000) * 1000,
      level: n % 9 === 0 ? 'error' : 'info',
      message: `GET /page/${n} took ${n % 300} ms and ${'went on '.repeat(n % 40)}to its end`,
      took: n % 300,
    }));
    await server.client.upload('logs', rows.map((row) => JSON.stringify(row)).join('\n'));
    browser = await openBrowser();
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.addInitScript(WATCH_SHIFTS);
    page = await context.newPage();
    complaints = watchPage(page, new URL(server.url).origin);
    await signIn(page, server.url, ROOT);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  const CHARTED =
    'SELECT toStartOfHour(_timestamp) AS hour, level, count() AS records FROM logs GROUP BY hour, level ORDER BY hour';

  it.each([
    ...PAGES.map((name) => `#/${name}?org=default`),
    `#/ask?org=default&sql=${encodeURIComponent('SELECT * FROM logs ORDER BY _timestamp DESC')}`,
    `#/ask?org=default&sql=${encodeURIComponent('SELECT mesage FROM logs')}`,
    `#/ask?org=default&range=1h&sql=${encodeURIComponent(CHARTED)}`,
    '#/search?org=default&stream=logs&range=all',
  ])('moves nothing that stands there: %s', async (hash) => {
    for (const viewport of [NARROW, { width: 1280, height: 900 }, WIDE]) {
      await page.setViewportSize(viewport);
      await open(hash);
      const shifts = await page.evaluate<readonly Shift[]>('window.shifts');
      const sum = shifts.reduce((all, { value }) => all + value, 0);
      expect({ viewport, sum, shifts: sum > SHIFT_MAX ? shifts : [] }).toEqual({
        viewport,
        sum: expect.any(Number) as number,
        shifts: [],
      });
    }
  });

  it('uses the width of a large screen where there is something to show', async () => {
    await page.setViewportSize(WIDE);
    await open(ask('SELECT _timestamp, level, message FROM logs ORDER BY _timestamp DESC'));
    await page.getByRole('gridcell').first().waitFor();
    expect(await width('.grid')).toBeGreaterThan(WIDE.width * 0.9);
    expect(await height('.grid')).toBeGreaterThan(WIDE.height * 0.5);
    // The long texts get what is left, so that more of them can be read.
    expect(await width('.grid .row:nth-child(1) [title=message]')).toBeGreaterThan(1000);
    await open('#/search?org=default&stream=logs&range=24h');
    const caption = await page.locator('.histogram figcaption').boundingBox();
    expect(caption?.width).toBe(await width('.histogram .bars'));
    await open(ask(CHARTED));
    await page.getByRole('button', { name: 'Chart' }).click();
    await page.locator('.chart canvas').waitFor();
    expect(await width('.chart canvas')).toBeGreaterThan(WIDE.width * 0.9);
    expect(await height('.chart canvas')).toBeGreaterThan(WIDE.height * 0.35);
    await page.setViewportSize({ width: 1280, height: 900 });
    // The page lets no text be run as a program later, so this asks it anew each time.
    await until(async () => (await width('.chart canvas')) < 1280);
  });

  it.each(PAGES)('has no endless lines of text on a large screen: %s', async (name) => {
    await page.setViewportSize(WIDE);
    await open(`#/${name}?org=default`);
    const long = await page.evaluate<readonly string[]>(`
      [...document.querySelectorAll('main p, main .hint, main li, main .failure')]
        .filter((each) => !each.closest('.grid, .lines, .histogram, .history, table'))
        .filter((each) => each.textContent.length > ${LINE_LETTERS_MAX})
        // A letter is half as wide as the font is high.
        .filter((each) => each.clientWidth / parseFloat(getComputedStyle(each).fontSize) > ${LINE_LETTERS_MAX / 2})
        .map((each) => each.textContent)
    `);
    expect(long).toEqual([]);
  });

  it('draws a steady flow as bars of one height, up to the end that it names', async () => {
    await page.setViewportSize({ width: 1280, height: 900 });
    // A second after a bucket of the server begins, so that the first bar has almost two of them.
    const start = Math.floor(Date.now() / 300_000) * 300_000 - 6 * 3_600_000 + 1000;
    const [from, to] = [start, start + 5 * 3_600_000].map((at) => new Date(at).toISOString());
    await open(`#/search?org=default&stream=logs&range=${from}..${to}`);
    const bars = await page
      .locator('.histogram .bars div')
      .evaluateAll((all) =>
        all.map((each) => Number((each as unknown as { title: string }).title.split(': ')[1])),
      );
    expect(bars).toHaveLength(60);
    expect(Math.max(...bars)).toBeLessThan(1.4 * Math.min(...bars));
    const ends = await page.locator('.histogram figcaption span').allInnerTexts();
    expect(ends.at(-1)).toBe(`${to?.slice(0, 19).replace('T', ' ') ?? ''} UTC`);
  });

  it('is usable at 360 pixels with a result, a chart and a record', async () => {
    await page.setViewportSize(NARROW);
    for (const hash of [
      ask('SELECT * FROM logs ORDER BY _timestamp DESC'),
      `${ask(CHARTED)}&range=7d`,
      ask('SELECT mesage FROM logs'),
      '#/search?org=default&stream=logs&range=24h',
    ]) {
      await open(hash);
      const cell = page.getByRole('gridcell').first();
      if (await cell.isVisible()) {
        await cell.click();
        // The row that the tap has opened is seen without scrolling.
        const top = page.getByRole('region', { name: 'Row 1' }).getByText('Row 1');
        await until(async () => {
          const box = await top.boundingBox();
          return box !== null && box.y >= 0 && box.y + box.height <= NARROW.height;
        });
      }
      const chart = page.getByRole('button', { name: 'Chart' });
      if ((await chart.isVisible()) && (await chart.isEnabled())) {
        await chart.click();
        await page.locator('.chart canvas').waitFor();
      }
      const beyond = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect([hash, beyond]).toEqual([hash, 0]);
    }
  });

  it('leaves names as a phone has them typed, without capitals of its own', async () => {
    await page.setViewportSize(NARROW);
    const seen = new Set<string>();
    for (const name of PAGES) {
      await open(`#/${name}?org=default`);
      for (const { label, capitals } of await page.evaluate<
        readonly { readonly label: string; readonly capitals: string }[]
      >(`
        [...document.querySelectorAll('input:not([type]), input[type=text], input[type=search]')]
          .map((each) => ({
            label: each.getAttribute('aria-label') ?? each.labels[0]?.childNodes[0]?.textContent ?? '',
            capitals: each.autocapitalize,
          }))
      `)) {
        seen.add(label);
        // Names of people and what people are shown begin with one.
        if (!/^(?:First|Last|Displayed) name/.test(label))
          expect([label, capitals]).toEqual([label, 'none']);
      }
    }
    expect([...seen]).toEqual(
      expect.arrayContaining(['Words, or field=value', 'Stream', 'Hash', 'Name of the stream']),
    );
  });

  it('takes what somebody types within a second, with nothing kept from before', async () => {
    const times: number[] = [];
    for (let round = 0; round < TRIES && !isWithin(times); round += 1) {
      const fresh = await browser.newContext({ viewport: { width: 1280, height: 900 } });
      const visitor = await fresh.newPage();
      await visitor.goto('about:blank');
      const begun = performance.now();
      await visitor.goto(server.url, { waitUntil: 'commit' });
      await visitor.getByLabel('E-mail').fill('a');
      times.push(performance.now() - begun);
      await fresh.close();
    }
    expect(Math.min(...times)).toBeLessThan(INTERACTIVE_MS);
    const editing: number[] = [];
    for (let round = 0; round < TRIES && !isWithin(editing); round += 1) {
      const visitor = await context.newPage();
      const cdp = await context.newCDPSession(visitor);
      await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
      const begun = performance.now();
      await visitor.goto(`${server.url}/#/ask?org=default`, { waitUntil: 'commit' });
      await visitor.getByRole('textbox', { name: 'SQL statement' }).click();
      await visitor.keyboard.type('x');
      editing.push(performance.now() - begun);
      await visitor.close();
    }
    expect(Math.min(...editing)).toBeLessThan(INTERACTIVE_MS);
  });

  it('is done by nobody else: a page of another site, with the cookie in the browser', async () => {
    const target = `${server.url}/api/default`;
    const foreign = createServer((_request, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(`<!doctype html><title>other</title>
        <form method="post" enctype="text/plain" target="frame" action="${target}/stolen/_json">
          <input name='[{"n":1,"x":"' value='"}]'></form>
        <iframe name="frame"></iframe>`);
    }).listen(0, '127.0.0.1');
    await once(foreign, 'listening');
    try {
      const theirs = await context.newPage();
      const { port } = foreign.address() as AddressInfo;
      // A browser takes localhost for another site than 127.0.0.1.
      await theirs.goto(`http://localhost:${port}/`);
      const answered = theirs.waitForResponse('**/stolen/_json');
      await theirs.evaluate('document.forms[0].submit()');
      expect([401, 403]).toContain((await answered).status());
      const seen = await theirs.evaluate<readonly string[]>(`
        Promise.all(
          ['GET', 'POST', 'DELETE'].map(async (method) => {
            try {
              const answer = await fetch('${target}/streams/logs', { method, credentials: 'include' });
              return method + ' ' + answer.status;
            } catch {
              return 'refused';
            }
          }),
        )`);
      expect(seen).toEqual(['refused', 'refused', 'refused']);
      // The console shows nothing in a frame of another site.
      await theirs.goto(`http://localhost:${port}/`);
      await theirs.evaluate(`document.querySelector('iframe').src = '${server.url}/'`);
      await until(() =>
        Promise.resolve(theirs.frames().some((frame) => frame.url().startsWith('chrome-error:'))),
      );
      await theirs.goto(`http://localhost:${port}/`);
      const followed = theirs.waitForResponse('**/sql?**');
      await theirs.evaluate(`location.href = '${target}/sql?query=SELECT+1+AS+one'`);
      expect((await followed).status()).toBe(401);
      await theirs.close();
    } finally {
      foreign.close();
    }
    expect((await server.client.call('/api/default/streams/stolen/schema')).status).toBe(404);
    expect(await server.client.count('logs')).toBe(2000);
    await page.reload();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  });

  it('has complained of nothing, and asked nobody else', () => {
    expect(complaints()).toEqual([]);
  });
}

inBrowser(() => {
  describe('the look of the console and the sites that it lets in', looking);
});
