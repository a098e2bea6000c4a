import { jest } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { accessFaults, openBrowser, watchPage } from '../server/browser.js';
import { inBrowser } from '../server/in-browser.js';
import { startEdge } from '../server/start-edge.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

jest.setTimeout(240_000);

const ROWS = 100_001;
const EXACT = '9007199254740993';

function theConsole(): void {
  let server: Server;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: () => readonly string[];

  const alert = () => page.getByRole('alert');
  const status = () => page.locator('.status');
  const write = async (sql: string): Promise<void> => {
    await page.getByRole('textbox', { name: 'SQL statement' }).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(sql);
  };
  const ask = async (sql: string): Promise<void> => {
    await write(sql);
    await page.keyboard.press('Control+Enter');
  };
  const drop = async (name: string, text: string): Promise<void> => {
    const file = `new File([${JSON.stringify(text)}], ${JSON.stringify(name)})`;
    const files = await page.evaluateHandle(
      `(() => { const all = new DataTransfer(); all.items.add(${file}); return all; })()`,
    );
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: files });
  };

  beforeAll(async () => {
    server = await startServer({
      variables: {
        MILLRACE_ORG_QUERIES: '1',
        MILLRACE_ORG_QUERIES_WAITING: '0',
        MILLRACE_QUERY_READ_ROWS: '1000000000000',
      },
    });
    browser = await openBrowser();
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    page = await context.newPage();
    complaints = watchPage(page, new URL(server.url).origin);
    await page.goto(server.url);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  it('asks who somebody is, and says in words what is wrong', async () => {
    await page.getByLabel('E-mail').fill(ROOT.email);
    await page.getByLabel('Password').fill('wrong');
    await page.keyboard.press('Enter');
    await alert().getByText('e-mail or password is wrong').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await page.getByLabel('Password').fill(ROOT.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    const kept = await page.evaluate(
      'JSON.stringify({ ...localStorage, cookie: document.cookie })',
    );
    expect(kept).not.toContain(ROOT.password);
    expect(kept).not.toContain('millrace_session');
  });

  it('says the next step where there is nothing, and the step works', async () => {
    const step = page.getByRole('region', { name: 'First step' });
    const curl = await step.locator('pre').innerText();
    const [, url = '', body = ''] = /'(http[^']*)'[^]*-d '([^']*)'/.exec(curl) ?? [];
    expect(url.startsWith(server.url.replace('127.0.0.1', new URL(page.url()).hostname))).toBe(
      true,
    );
    const answer = await server.client.call(url, { body });
    expect([answer.status, await server.client.count('logs')]).toEqual([200, 1]);
    expect(await accessFaults(page)).toEqual([]);
  });

  it('takes a dropped file, counts, and shows what was rejected with reason and line', async () => {
    const columns = { price: 'Float64', id: 'Int64' };
    await server.client.call('/api/default/items/settings', { body: JSON.stringify({ columns }) });
    await page.getByRole('link', { name: 'Upload' }).click();
    await page.getByLabel('Stream').fill('items');
    const lines = [`{"id":${EXACT},"price":1.5}`, '{"id":2,"price":"four"}', '{"id":3,"price":2}'];
    await drop('items.ndjson', lines.join('\n'));
    await page.getByText('2 stored, 1 rejected.').waitFor();
    const table = page.getByRole('region', { name: 'Rejected records of items' });
    const row = await table.getByRole('row').nth(1).innerText();
    expect(row).toMatch(/^2\s/);
    expect(row).toContain('price');
    expect(row).toContain('"four"');
    expect(await accessFaults(page)).toEqual([]);
    await drop('picture.png', 'x');
    await alert().getByText('picture.png').waitFor();
    await drop('broken.csv', '');
    await page.getByRole('button', { name: 'Send again' }).waitFor();
  });

  it('answers a statement, with every digit, and marks what it does not understand', async () => {
    await page.getByRole('link', { name: 'Ask', exact: true }).click();
    await ask('SELECT id, prise FROM items ORDER BY id DESC');
    await alert().getByText('did you mean').waitFor();
    expect(await page.locator('.wrong-place').innerText()).toBe('prise');
    await page.getByRole('button', { name: 'Use price' }).click();
    await status().getByText('2 rows').waitFor();
    const cells = await page.getByRole('grid').getByRole('gridcell').allInnerTexts();
    expect(cells).toEqual([EXACT, '1.5', '3', '2']);
    await page.getByText(EXACT).click();
    expect(await page.getByRole('region', { name: 'Row 1' }).innerText()).toContain(EXACT);
    expect(await accessFaults(page)).toEqual([]);
  });

  it('offers streams and fields while somebody types', async () => {
    await write('SELECT pri');
    await page.keyboard.type('c');
    const offered = page.getByRole('option', { name: /price/ });
    await offered.waitFor();
    await page.keyboard.press('Escape');
  });

  it('shows the same by a link, and after going back', async () => {
    const link = page.url();
    const other = await context.newPage();
    await other.goto(link);
    await other.getByText('2 rows').waitFor();
    await other.close();
    await ask('SELECT 1 AS one');
    await status().getByText('1 row').waitFor();
    await page.goBack();
    await status().getByText('2 rows').waitFor();
    await page.getByText(/Asked before/).click();
    await page.getByRole('button', { name: 'SELECT 1 AS one' }).click();
    await status().getByText('1 row').waitFor();
  });

  it('holds a hundred thousand rows, and as many elements as fit', async () => {
    const rows = Array.from({ length: ROWS }, (_, n) => `{"n":${n},"text":"row ${n}"}`).join('\n');
    await server.client.upload('many', rows);
    await ask('SELECT n, text FROM many ORDER BY n');
    await status().getByText('the first 100,000 rows').waitFor();
    const grid = page.getByRole('grid');
    expect(await grid.getByRole('row').count()).toBeLessThan(120);
    await grid.focus();
    await page.keyboard.press('End');
    await grid.getByText('row 99999').waitFor();
    expect(await grid.getByRole('row').count()).toBeLessThan(120);
    await page.keyboard.press('Home');
    await grid.getByText('row 0', { exact: true }).waitFor();
  });

  it.each([
    ['CSV', /^"?n"?\n0\n1\n$/],
    ['NDJSON', /^\{"n":0\}\n\{"n":1\}\n$/],
    ['Parquet', /^PAR1/],
  ])('gives a result as %s', async (title, expected) => {
    await ask('SELECT n FROM many ORDER BY n LIMIT 2');
    await status().getByText('2 rows').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: `Download ${title}` }).click(),
    ]);
    const pieces: Buffer[] = [];
    for await (const piece of await file.createReadStream()) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).toString('latin1')).toMatch(expected);
  });

  it('draws numbers over something', async () => {
    await ask(
      'SELECT toStartOfHour(toDateTime(n * 60)) AS hour, count() AS records FROM many GROUP BY hour ORDER BY hour',
    );
    await status().getByText('rows in').waitFor();
    await page.getByRole('button', { name: 'Chart' }).click();
    await page.locator('.chart canvas').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Bars' }).click();
  });

  it('calls a query off, and the server stops it', async () => {
    // There is one place for queries: while this one runs, another is turned away.
    const other = async (): Promise<number> =>
      (await server.client.call('/api/default/sql', { body: 'SELECT 1' })).status;
    await ask('SELECT sum(cityHash64(number, 1)) AS s FROM numbers(900000000000)');
    await status().getByText('Running…').waitFor();
    await until(async () => {
      // Both may want the place at the same time.
      if (await alert().isVisible()) await page.getByRole('button', { name: /^Run/ }).click();
      return (await other()) === 429;
    });
    await page.getByRole('button', { name: 'Cancel' }).click();
    await status().getByText('Cancelled').waitFor();
    await until(async () => (await other()) === 200);
  });

  it('lists streams with their fields', async () => {
    await page.getByRole('link', { name: 'Streams' }).click();
    await page.getByRole('heading', { name: 'items' }).click();
    const fields = page.getByRole('region', { name: 'Fields of items' });
    expect(await fields.getByRole('row').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^price\s+Float64$/)]),
    );
    await page.getByRole('button', { name: 'What was rejected' }).first().click();
    await page.getByRole('region', { name: 'Rejected records of items' }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
  });

  it('is as good in the dark, and on a small screen', async () => {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 360, height: 740 });
    for (const name of ['Ask', 'Upload', 'Streams']) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, exact: true }).waitFor({ state: 'attached' });
      expect([name, await accessFaults(page)]).toEqual([name, []]);
      const beyond = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect([name, beyond]).toEqual([name, 0]);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('goes by keyboard alone from the address to an answer', async () => {
    const other = await context.newPage();
    await other.goto(`${server.url}/#/ask?org=default&sql=SELECT+41+%2B+1+AS+n`);
    await other.getByRole('gridcell', { name: '42' }).waitFor();
    await other.keyboard.press('Tab');
    expect(await other.evaluate('document.activeElement.className')).toBe('skip');
    await other.keyboard.press('Enter');
    await other.keyboard.press('Tab');
    await other.keyboard.press('Control+A');
    await other.keyboard.insertText('SELECT 43 AS n');
    await other.keyboard.press('Control+Enter');
    await other.getByRole('gridcell', { name: '43' }).waitFor();
    await other.close();
  });

  it('switches the organization, and ends the session for every copy of its cookie', async () => {
    const ann = { email: 'ann@example.com', password: 'Secret-77', role: 'viewer' };
    const person = { ...ann, first_name: 'A', last_name: 'B' };
    await server.client.call('/api/default/users', { body: JSON.stringify(person) });
    await server.client.call(`/api/acme/users/${ann.email}`, { body: '{"role":"admin"}' });
    await page.reload();
    await page.getByLabel('Organization').selectOption('acme');
    await page.getByText('There is no stream in acme yet').waitFor();
    const stolen = (await context.cookies())
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const headers = { cookie: stolen };
    const copy = () => server.client.call('/api/auth/session', { headers, credentials: 'none' });
    expect((await copy()).status).toBe(200);
    // A thief's browser, with the cookie and nothing else of the owner's.
    const thief = await browser.newContext();
    await thief.addCookies(await context.cookies());
    const theirs = await thief.newPage();
    await theirs.goto(server.url);
    await theirs.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    expect((await copy()).status).toBe(401);
    await theirs.getByRole('link', { name: 'Upload' }).click();
    await theirs.getByRole('link', { name: 'Streams' }).click();
    await theirs.getByText('Your session is over. Sign in again.').waitFor();
    await thief.close();
    expect(await page.evaluate("localStorage.getItem('millrace-history')")).toBeNull();
  });

  it('has complained of nothing, and asked nobody else', () => {
    expect(complaints()).toEqual([]);
  });
}

async function ofTheEdgeProgram(): Promise<void> {
  const token = 'open-sesame-1';
  const edge = await startEdge(['--table', 'launches=spacex_launches.json', '--token', token]);
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const complaints = watchPage(page, new URL(edge.url).origin);
    await page.goto(edge.url);
    await page.getByLabel('Token that the program was started with').fill(token);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Run/ }).click();
    await page.locator('.status').getByText('100 rows').waitFor();
    expect(await page.getByRole('link', { name: 'Upload' }).count()).toBe(0);
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Tables' }).click();
    await page.getByRole('heading', { name: 'launches' }).click();
    await page.getByRole('cell', { name: 'links.flickr', exact: true }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    expect(complaints()).toEqual([]);
  } finally {
    await browser.close();
    await edge.stop();
  }
}

inBrowser(() => {
  describe('the console in a browser', theConsole);
  it('shows tables of the edge program, to who has its token', ofTheEdgeProgram);
});
