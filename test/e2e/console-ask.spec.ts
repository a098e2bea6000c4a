import { jest } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { accessFaults, openBrowser, signIn, watchPage } from '../server/browser.js';
import { inBrowser } from '../server/in-browser.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

jest.setTimeout(240_000);

const HOUR_MS = 3_600_000;
/** Records of `visits`, two an hour, the newest of them of now. */
const ROWS = 100;
/** Takes the engine a few seconds. */
const LONG = 'SELECT sum(cityHash64(number, 1)) AS s FROM numbers(3000000000)';
/** This one takes two seconds on an idle machine, and fails at its end. */
const FAILS_LATE =
  'SELECT sum(cityHash64(number, 1) % 2 + intDiv(1, 499999999 - number)) AS s FROM numbers(500000000)';

function asking(): void {
  let server: Server;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: () => readonly string[];

  const status = () => page.locator('.status');
  const time = () => page.getByRole('combobox', { name: 'Time' });
  const write = async (sql: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'SQL statement' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(sql);
  };
  const ask = async (sql: string): Promise<void> => {
    await write(sql);
    await page.keyboard.press('Control+Enter');
  };
  const copied = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');

  beforeAll(async () => {
    server = await startServer({ variables: { MILLRACE_QUERY_READ_ROWS: '1000000000000' } });
    const now = Date.now();
    const visits = Array.from({ length: ROWS }, (_, n) => ({
      _timestamp: (now - (n * HOUR_MS) / 2) * 1000,
      n,
      by: { name: `ann${n % 3}`, address: { city: 'Ulm' } },
    }));
    await server.client.upload('visits', visits);
    browser = await openBrowser();
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    page = await context.newPage();
    complaints = watchPage(page, new URL(server.url).origin);
    await signIn(page, server.url, ROOT);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  it('asks about a time, which a link keeps', async () => {
    await ask('SELECT n FROM visits WHERE n < 0 OR true ORDER BY n');
    await status().getByText('100 rows in').waitFor();
    expect(await time().inputValue()).toBe('all');
    expect(page.url()).not.toContain('range');
    await time().selectOption('Last 24 hours');
    await status().getByText('48 rows in').waitFor();
    expect(page.url()).toContain('range=24h');
    expect(await accessFaults(page)).toEqual([]);
    const other = await context.newPage();
    await other.goto(page.url());
    await other.locator('.status').getByText('48 rows in').waitFor();
    await other.close();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    const pieces: Buffer[] = [];
    for await (const piece of await file.createReadStream()) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).toString().trimEnd().split('\n')).toHaveLength(49);
    await page.goBack();
    await status().getByText('100 rows in').waitFor();
    expect(await time().inputValue()).toBe('all');
  });

  it('asks from one time to another', async () => {
    await time().selectOption('From … to …');
    const ago = (hours: number): string =>
      new Date(Date.now() - hours * HOUR_MS).toISOString().slice(0, 19);
    await page.getByLabel('From (UTC)').fill(ago(10.25));
    await page.getByLabel('From (UTC)').blur();
    await until(() => Promise.resolve(page.url().includes('range=')));
    await page.getByLabel('To (UTC)').fill(ago(5.25));
    await page.getByLabel('To (UTC)').blur();
    await status().getByText('10 rows in').waitFor();
    await page.reload();
    await status().getByText('10 rows in').waitFor();
    await time().selectOption('All times');
    await status().getByText('100 rows in').waitFor();
  });

  it('shows the records of the stream over time, and looks at a part that is drawn over', async () => {
    await page.getByRole('button', { name: 'Over time' }).click();
    const shown = page.getByRole('region', { name: 'Records of visits over time' });
    await shown.getByText('100 records of visits').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    const bars = shown.getByRole('img', { name: /^Records over time/ });
    const { x, y, width, height } = (await bars.boundingBox()) ?? {
      ...{ x: 0, y: 0, width: 0, height: 0 },
    };
    await page.mouse.move(x + width * 0.25, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.5, y + height / 2, { steps: 5 });
    await page.mouse.up();
    await until(() => Promise.resolve(/range=[^&]*\.\./.test(decodeURIComponent(page.url()))));
    await status()
      .getByText(/^2\d rows in/)
      .waitFor();
    await shown.getByText(/^2\d records of visits/).waitFor();
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await time().selectOption('All times');
    await ask('SELECT 1 AS one');
    await status().getByText('1 row in').waitFor();
    expect(await page.getByRole('button', { name: 'Over time' }).isDisabled()).toBe(true);
  });

  it('tells how much was read, while it reads and at the end', async () => {
    await ask('SELECT count(n) AS n FROM visits');
    await status()
      .getByText(/^1 row in [\d.]+ s; 100 rows read$/)
      .waitFor();
    await ask(LONG);
    await page
      .locator('.running')
      .getByText(/^\d+\.\d s, [\d,]+ rows read/)
      .waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await status().getByText('Cancelled').waitFor();
    await ask('SELECT sum(number) AS s FROM numbers(1000000)');
    await status().getByText('; 1,000,000 rows read').waitFor();
  });

  it('says in words why a query ended after it had begun', async () => {
    await ask(FAILS_LATE);
    await page.locator('.running').getByText('rows read').waitFor();
    await page
      .getByRole('alert')
      .getByText(/[Dd]ivision by zero/)
      .waitFor();
  });

  it('copies the result as CSV and as NDJSON', async () => {
    await ask('SELECT n, by.name AS who FROM visits ORDER BY n LIMIT 2');
    await status().getByText('2 rows').waitFor();
    await page.getByRole('button', { name: 'Copy CSV' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await copied()).toBe('"n","who"\n0,"ann0"\n1,"ann1"\n');
    await page.getByRole('button', { name: 'Copy NDJSON' }).click();
    await until(async () => (await copied()) === '{"n":0,"who":"ann0"}\n{"n":1,"who":"ann1"}\n');
  });

  it('says so where a page may not copy', async () => {
    await page.evaluate(
      "navigator.clipboard.write = () => Promise.reject(new DOMException('no', 'NotAllowedError'))",
    );
    await page.getByRole('button', { name: 'Copy CSV' }).click();
    await page.getByText('The browser does not let this page copy.').waitFor();
    await page.reload();
    await status().getByText('2 rows').waitFor();
  });

  it.each([
    ['SELECT by.address.ci', 'by.address.city', 'by.address.city'],
    ['SELECT quantileTD', 'quantileTDigest', 'quantileTDigest('],
    ['SELECT toStartOfH', 'toStartOfHour', 'toStartOfHour('],
    ['SELECT n FROM visi', 'visits', 'visits'],
  ])('completes %s', async (typed, label, completed) => {
    await write('');
    await page.keyboard.type(typed);
    await page.locator('.cm-completionLabel').getByText(label, { exact: true }).click();
    const editor = page.getByRole('textbox', { name: 'SQL statement' });
    await until(async () => (await editor.innerText()).includes(completed));
    await page.keyboard.press('Escape');
  });

  it('has complained of nothing, and asked nobody else', () => {
    expect(complaints()).toEqual([]);
  });
}

inBrowser(() => {
  describe('asking in a browser', asking);
});
