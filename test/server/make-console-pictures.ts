// Makes the pictures of docs/console.md anew; look at each before you commit it:
//   node --import ./test/doubles/typescript.mjs test/server/make-console-pictures.ts [name …]
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { prepare } from '../../bin/prepare.mjs';
import { openBrowser, signIn } from './browser.js';
import { startServer, type Server } from './start-server.js';

const FOLDER = join(import.meta.dirname, '../../docs/console');
const CHO = { email: 'cho@example.com', password: 'Secret-77' };
/** The first of them has made the organization. */
const PEOPLE = [
  ['Cho', 'Kim', 'admin'],
  ['Ann', 'Lee', 'editor'],
  ['Dan', 'Fox', 'viewer'],
] as const;
const HOUR_MS = 3_600_000;
const RECORDS = 20_000;

/** Lines of a web server of the last day: more by day, and some of them failures. */
function accessRecords(): readonly string[] {
  const now = Date.now();
  const paths = ['/', '/login', '/search', '/cart'];
  return Array.from({ length: RECORDS }, (_, n) => {
    const part = n / RECORDS;
    const hours = 24 * (part + 0.08 * Math.sin(part * 2 * Math.PI));
    const place = n % paths.length;
    const path = paths[place] ?? '/';
    const status = n % 97 === 0 ? 503 : n % 41 === 0 ? 404 : 200;
    const took = Number((0.04 + 0.012 * Math.sin(hours / 4 + place)).toFixed(4));
    return JSON.stringify({
      _timestamp: Math.round((now - hours * HOUR_MS) * 1000),
      level: status === 503 ? 'error' : status === 404 ? 'warn' : 'info',
      message: `GET ${path} ${status} in ${took} s`,
      path,
      status,
      took,
      client: { agent: 'Mozilla/5.0', country: ['AT', 'IT', 'FR', 'DE', 'CH'][n % 5] },
    });
  });
}

await prepare();
const server = await startServer();
const browser = await openBrowser();
const wanted = process.argv.slice(2);
try {
  await fill(server);
  await take(server, browser);
} finally {
  await browser.close();
  await server.stop();
}

async function fill({ client }: Server): Promise<void> {
  const send = async (path: string, body: string): Promise<void> => {
    const { status, bytes } = await client.call(path, { body });
    if (status !== 200) throw new Error(`${path}: ${status} ${bytes.toString()}`);
  };
  for (const [first, last, role] of PEOPLE) {
    const email = `${first.toLowerCase()}@example.com`;
    const person = { ...CHO, email, first_name: first, last_name: last, role: 'viewer' };
    await send('/api/default/users', JSON.stringify(person));
    await send(`/api/acme/users/${email}`, JSON.stringify({ role }));
  }
  await send('/api/acme/access/_multi?wait=true', accessRecords().join('\n'));
}

async function take({ url }: Server, browser: Browser): Promise<void> {
  const open = async (width: number, height: number, isDark = false): Promise<Page> => {
    const context = await browser.newContext({
      viewport: { width, height },
      colorScheme: isDark ? 'dark' : 'light',
      ...(width < 500 ? { isMobile: true, hasTouch: true } : {}),
    });
    const page = await context.newPage();
    await signIn(page, url, CHO);
    return page;
  };
  const shoot = async (page: Page, name: string): Promise<void> => {
    await page.mouse.move(0, 0);
    await page.screenshot({ path: join(FOLDER, `${name}.png`) });
    console.log(name);
  };
  const isWanted = (...names: string[]): boolean =>
    wanted.length === 0 || names.some((name) => wanted.includes(name));
  const ask = (sql: string, range = '24h'): string =>
    `${url}/#/ask?org=acme&range=${range}&sql=${encodeURIComponent(sql)}`;
  const rows = (page: Page) => page.locator('.status').getByText('rows in').waitFor();
  const newest = 'SELECT *\nFROM access\nORDER BY _timestamp DESC';
  const byLevel =
    "SELECT toStartOfHour(_timestamp) AS hour, level, count() AS records\nFROM access\nWHERE level != 'info'\nGROUP BY hour, level\nORDER BY hour, level";
  const byPath =
    'SELECT toStartOfHour(_timestamp) AS hour, path, round(avg(took), 4) AS seconds\nFROM access\nGROUP BY hour, path\nORDER BY hour, path';

  if (isWanted('ask', 'over-time', 'chart-bars')) {
    const page = await open(1200, 900);
    await page.goto(ask(`${newest}\nLIMIT 12`));
    await rows(page);
    await page.getByRole('gridcell').nth(9).click();
    if (isWanted('ask')) await shoot(page, 'ask');
    await page.getByRole('button', { name: 'Over time' }).click();
    await page.getByRole('img', { name: /^Records over time/ }).waitFor();
    if (isWanted('over-time')) await shoot(page, 'over-time');
    await page.goto(ask(byLevel));
    await rows(page);
    await page.getByRole('button', { name: 'Chart' }).click();
    await page.getByRole('button', { name: 'Bars' }).click();
    await page.locator('.chart canvas').waitFor();
    if (isWanted('chart-bars')) await shoot(page, 'chart-bars');
  }
  if (isWanted('chart-dark')) {
    const page = await open(1200, 820, true);
    await page.goto(ask(byPath));
    await rows(page);
    await page.getByRole('button', { name: 'Chart' }).click();
    await page.locator('.chart canvas').waitFor();
    await shoot(page, 'chart-dark');
  }
  if (isWanted('search', 'search-record')) {
    const page = await open(1200, 900);
    const status = page.locator('main > .status');
    await page.goto(`${url}/#/search?org=acme&stream=access`);
    await status.getByText('the newest 100 shown').waitFor();
    await shoot(page, 'search');
    await page.getByRole('searchbox').fill('status>=500 client.country=FR');
    await page.keyboard.press('Enter');
    await status.getByText(/^\d+ records$/).waitFor();
    await page.locator('.lines summary').nth(1).click();
    await page.getByRole('button', { name: 'Show what is around' }).waitFor();
    await shoot(page, 'search-record');
  }
  if (isWanted('search-live')) {
    const page = await open(1200, 900, true);
    await page.goto(`${url}/#/search?org=acme&stream=access`);
    await page.getByRole('button', { name: 'Live', exact: true }).click();
    await page.getByText('Live: 50 records so far').waitFor();
    await shoot(page, 'search-live');
  }
  if (isWanted('ask-small', 'search-small')) {
    const page = await open(360, 740);
    await page.goto(ask(`${newest}\nLIMIT 12`));
    await rows(page);
    await page.getByRole('gridcell').nth(9).tap();
    await page.getByRole('region', { name: 'Row 2' }).waitFor();
    await shoot(page, 'ask-small');
    await page.goto(`${url}/#/search?org=acme&stream=access`);
    await page.locator('main > .status').getByText('the newest 100 shown').waitFor();
    await shoot(page, 'search-small');
  }
  if (isWanted('people-small')) {
    const page = await open(360, 740, true);
    await page.goto(`${url}/#/people?org=acme`);
    await page.getByText('dan@example.com').waitFor();
    await shoot(page, 'people-small');
  }
  if (isWanted('account')) {
    const page = await open(1200, 760);
    await page.goto(`${url}/#/account?org=acme`);
    await page.getByRole('form', { name: 'Create an organization' }).waitFor();
    await shoot(page, 'account');
  }
}
