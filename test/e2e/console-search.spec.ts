import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { accessFaults, openBrowser, signIn, watchPage } from '../server/browser.js';
import { inBrowser } from '../server/in-browser.js';
import { freePort } from '../server/free-port.mjs';
import { ROOT, startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

jest.setTimeout(240_000);

const ROWS = 250;
const EXACT = '9007199254740993';

function theSearchPage(): void {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-search-'));
  let server: Server;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: () => readonly string[];

  const start = async (port: number): Promise<void> => {
    const variables = { MILLRACE_HTTP_ADDR: `127.0.0.1:${port}` };
    server = await startServer({ dataDirectory, variables });
  };
  const status = () => page.locator('main > .status');
  const lines = () => page.getByRole('list', { name: 'Records, newest first' });
  const texts = () => lines().locator('summary .text').allInnerTexts();
  const box = () => page.getByRole('searchbox');
  const look = async (text: string): Promise<void> => {
    await box().fill(text);
    await page.keyboard.press('Enter');
  };

  beforeAll(async () => {
    await start(await freePort());
    const now = Date.now() * 1000;
    const rows = Array.from({ length: ROWS }, (_, n) =>
      JSON.stringify({
        _timestamp: now - (ROWS - n) * 1_000_000,
        message: `GET /page/${n % 10} for ann`,
        status: n % 50 === 0 ? 500 : 200,
        id: 1,
        user: { name: `ann${n % 3}` },
      }).replace('"id":1', `"id":${EXACT}`),
    );
    await server.client.upload('logs', rows.join('\n'));
    await server.client.upload('old', [{ _timestamp: 1_700_000_000_000_000, message: 'of old' }]);
    browser = await openBrowser();
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    page = await context.newPage();
    complaints = watchPage(page, new URL(server.url).origin);
    await signIn(page, server.url, ROOT);
    await page.getByRole('link', { name: 'Search', exact: true }).click();
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it('shows the newest records over time, and older ones', async () => {
    await status().getByText('250 records, the newest 100 shown').waitFor();
    await page.getByRole('img', { name: /^Records over time, from .*; most at/ }).waitFor();
    expect((await texts()).slice(0, 2)).toEqual(['GET /page/9 for ann', 'GET /page/8 for ann']);
    await page.getByRole('button', { name: 'Older records' }).click();
    await status().getByText('the newest 200 shown').waitFor();
    await page.getByRole('button', { name: 'Older records' }).click();
    await status().getByText('250 records', { exact: true }).waitFor();
    expect(await lines().getByRole('listitem').count()).toBe(ROWS);
    expect(await accessFaults(page)).toEqual([]);
  });

  it('finds words and values, and says what is wrong in words', async () => {
    await look('status=500');
    await status().getByText('5 records', { exact: true }).waitFor();
    await look('status=500 user.name=ann1 page');
    await status().getByText('1 record', { exact: true }).waitFor();
    await look("nothing like it's there");
    await page.getByText('No record matches in this time.').waitFor();
    await look('status=many');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').innerText()).not.toBe('');
    expect(await accessFaults(page)).toEqual([]);
  });

  it('looks at a part of the past that is drawn over, and at one that is typed', async () => {
    const bars = page.getByRole('img', { name: /^Records over time/ });
    await look('');
    await status().getByText('250 records').waitFor();
    const time = page.getByRole('combobox', { name: 'Time' });
    // The status says the same before and after, so the chart's own times are waited for.
    const hour = await bars.getAttribute('aria-label');
    await time.selectOption('Last 15 minutes');
    await until(async () => (await bars.getAttribute('aria-label')) !== hour);
    await status().getByText('250 records').waitFor();
    const { x, y, width, height } = (await bars.boundingBox()) ?? {
      x: 0,
      y: 0,
      width: 0,
      height: 0,
    };
    await page.mouse.move(x + width * 0.5, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.9, y + height / 2, { steps: 5 });
    await page.mouse.up();
    await until(() => Promise.resolve(/range=[^&]*\.\./.test(decodeURIComponent(page.url()))));
    await page.getByLabel('From (UTC)').waitFor();
    // The newest two minutes or so are not in it.
    await status()
      .getByText(/^[1-9]\d* records/)
      .waitFor();
    const found = Number.parseInt(await status().innerText(), 10);
    expect(found).toBeGreaterThan(100);
    expect(found).toBeLessThan(ROWS);
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('combobox', { name: 'Stream' }).selectOption('old');
    await page.getByText('No record matches in this time.').waitFor();
    await page.getByLabel('From (UTC)').fill('2023-11-14T22:13:20');
    await page.getByLabel('From (UTC)').blur();
    await status().getByText('1 record', { exact: true }).waitFor();
    await page.getByLabel('To (UTC)').fill('2023-11-14T22:13:21');
    await page.getByLabel('To (UTC)').blur();
    await until(() => Promise.resolve(decodeURIComponent(page.url()).includes('22:13:21.000Z')));
    await status().getByText('1 record', { exact: true }).waitFor();
    await page.reload();
    await status().getByText('1 record', { exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Time' }).selectOption('Last 24 hours');
    await page.getByRole('combobox', { name: 'Stream' }).selectOption('logs');
    await status().getByText('250 records').waitFor();
    await page.getByLabel('From (UTC)').waitFor({ state: 'detached' });
  });

  it('opens a record by keyboard, with every digit, and looks for a value of it', async () => {
    await look('status=500');
    await status().getByText('5 records', { exact: true }).waitFor();
    await lines().locator('summary').first().focus();
    await page.keyboard.press('Enter');
    await lines().getByText(EXACT).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('button', { name: `Only where message is GET /page/0 for ann` }).click();
    await until(async () => (await box().inputValue()).includes('message="GET /page/0 for ann"'));
    await status().getByText('5 records', { exact: true }).waitFor();
    await look('');
    await status().getByText('250 records').waitFor();
    await lines().locator('summary').first().click();
    await page.getByRole('button', { name: 'Only where status is not 200' }).click();
    await status().getByText('5 records', { exact: true }).waitFor();
  });

  it('leaves what somebody types while the address follows a click', async () => {
    const before = page.url();
    await look('user.name=ann0');
    await status().getByText('84 records', { exact: true }).waitFor();
    await lines().locator('summary').first().click();
    await page.getByRole('button', { name: /^Only where status is 200/ }).waitFor();
    await page.evaluate(`(() => {
      const box = document.querySelector('input[type=search]');
      document.querySelector('[aria-label="Only where status is 200"]').click();
      box.value = 'typed since';
      box.dispatchEvent(new Event('input', { bubbles: true }));
    })()`);
    await page.waitForURL(/status%3D/);
    await page.evaluate(
      'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn))))',
    );
    expect(await box().inputValue()).toBe('typed since');
    await page.goto(before);
    await status().getByText('5 records', { exact: true }).waitFor();
  });

  it('shows what is around a record, and goes back', async () => {
    await lines().locator('summary').first().click();
    await page.getByRole('button', { name: 'Show what is around' }).click();
    await status()
      .getByText(/records within a quarter of an hour/)
      .waitFor();
    expect(await lines().locator('.middle').count()).toBe(1);
    expect(await lines().getByRole('listitem').count()).toBeGreaterThan(50);
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Back to what was found' }).click();
    await status().getByText('5 records', { exact: true }).waitFor();
  });

  it('shows the same by a link, and says where older records are', async () => {
    const other = await context.newPage();
    await other.goto(page.url());
    await other.locator('main > .status').getByText('5 records', { exact: true }).waitFor();
    await other.getByLabel('Stream').selectOption('old');
    await other.getByLabel('Words, or field=value').fill('');
    await other.keyboard.press('Enter');
    await other.getByRole('button', { name: 'Look at all times' }).click();
    await other.getByText('of old').waitFor();
    await other.close();
  });

  it('follows what comes, through a restart of the server, without gap and double', async () => {
    await look('live');
    await page.getByText('No record matches').waitFor();
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await status().getByText('Live: 0 records so far').waitFor();
    const send = (from: number, count: number) =>
      server.client.upload(
        'logs',
        Array.from({ length: count }, (_, n) => ({ message: `live ${from + n}` })),
      );
    await send(0, 3);
    await server.client.upload('logs', [{ message: 'not this' }]);
    await lines().getByText('live 2').waitFor();
    expect(await texts()).toEqual(['live 2', 'live 1', 'live 0']);
    expect(await accessFaults(page)).toEqual([]);
    await lines().locator('summary').first().click();
    const { port } = new URL(server.url);
    await server.stop();
    await status().getByText('tried again').waitFor();
    await start(Number(port));
    await send(3, 2);
    await lines().getByText('live 4').waitFor();
    expect(await texts()).toEqual(['live 4', 'live 3', 'live 2', 'live 1', 'live 0']);
    await status().getByText('Live: 5 records so far').waitFor();
    // An open record stays open, although it has moved.
    expect(await lines().locator('details[open] summary .text').allInnerTexts()).toEqual([
      'live 2',
    ]);
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await status().getByText('5 records', { exact: true }).waitFor();
  });

  it('says that the stream is gone', async () => {
    await server.client.upload('brief', [{ message: 'one' }]);
    await page.reload();
    await page.getByLabel('Stream').selectOption('brief');
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await status().getByText('Live: 0').waitFor();
    await server.client.call('/api/default/streams/brief', { method: 'DELETE' });
    await page.getByRole('alert').getByText('the stream was deleted').waitFor();
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await page.getByLabel('Stream').selectOption('logs');
  });

  it('is as good in the dark, and on a small screen', async () => {
    await look('');
    await status().getByText('records').waitFor();
    await lines().locator('summary').first().click();
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 360, height: 740 });
      expect([colorScheme, await accessFaults(page)]).toEqual([colorScheme, []]);
      const beyond = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect([colorScheme, beyond]).toEqual([colorScheme, 0]);
    }
  });

  it('shows no more than four lines of a long text on a small screen', async () => {
    await server.client.upload('long', [{ message: 'lorem ipsum '.repeat(500) }]);
    await page.reload();
    await page.getByLabel('Stream').selectOption('long');
    await status().getByText('1 record', { exact: true }).waitFor();
    const box = await lines().locator('summary').first().boundingBox();
    expect(box?.height).toBeGreaterThan(50);
    expect(box?.height).toBeLessThan(100);
  });

  it('has complained of nothing, and asked nobody else', () => {
    expect(complaints()).toEqual([]);
  });
}

inBrowser(() => {
  describe('the search page in a browser', theSearchPage);
});
