import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { jest } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { filesOf, tar, zip } from '../server/archive.js';
import { borrowServer, ROOT, type BorrowedServer } from '../server/borrow-server.js';
import { openBrowser, signIn, watchPage } from '../server/browser.js';
import { inBrowser } from '../server/in-browser.js';
import { until } from '../server/until.js';

jest.setTimeout(120_000);

const FIXTURES = join(import.meta.dirname, '../fixtures');
const delta = () => filesOf(join(FIXTURES, 'delta/partitioned'), 'some/where/');
const LINES = '{"n":1,"in":{"a":"x"}}\n{"n":2}\n';

function uploading(): void {
  let server: BorrowedServer;
  let browser: Browser;
  let page: Page;
  let complaints: () => readonly string[];

  const go = (hash: string): Promise<unknown> =>
    page.goto(`${server.url}/#/${hash}${hash.includes('?') ? '&' : '?'}org=${server.organization}`);
  const drop = async (name: string, bytes: Buffer | string): Promise<void> => {
    const base64 = Buffer.from(bytes).toString('base64');
    const files = await page.evaluateHandle(`(() => {
      const bytes = Uint8Array.from(atob('${base64}'), (letter) => letter.charCodeAt(0));
      const all = new DataTransfer();
      all.items.add(new File([bytes], ${JSON.stringify(name)}));
      return all;
    })()`);
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: files });
  };

  beforeAll(async () => {
    server = await borrowServer();
    browser = await openBrowser();
    page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
    complaints = watchPage(page, new URL(server.url).origin);
    await signIn(page, server.url, ROOT);
  });
  afterAll(async () => {
    await browser.close();
    await server.giveBack();
  });

  it.each(['ask', 'search', 'streams'])(
    'says the next step on the empty page %s, in a line for a terminal that works',
    async (name) => {
      await go(name);
      const step = page.getByRole('region', { name: 'First step' });
      const curl = await step.locator('pre').innerText();
      // The organization is as empty for the next page afterwards.
      const command = curl
        .replace('YOUR_EMAIL', `'${ROOT.email}:${ROOT.password}'`)
        .replace('curl ', 'curl --silent --show-error --fail ');
      const { stdout } = await promisify(execFile)('sh', ['-c', command]);
      expect(JSON.parse(stdout)).toEqual({
        code: 200,
        status: [{ name: 'logs', successful: 1, failed: 0 }],
      });
      expect(await server.client.count('logs')).toBe(1);
      await server.client.call('streams/logs', { method: 'DELETE' });
    },
  );

  it.each<[string, () => Promise<Buffer> | Buffer | string, number]>([
    ['json.json', () => '[{"n":1},{"n":2},{"n":3}]', 3],
    ['ndjson.ndjson', () => LINES, 2],
    ['packed.ndjson.gz', () => gzipSync(LINES), 2],
    ['csv.csv', () => 'n,text\n1,a\n2,b\n', 2],
    ['tsv.tsv', () => 'n\ttext\n1\ta\n', 1],
    ['parquet.parquet', () => readFileSync(join(FIXTURES, 'parquet/exact.parquet')), 0],
    ['tarred.tar', () => tar(delta()), 4],
    ['zipped.zip', () => zip(delta()), 4],
  ])('takes a dropped %s', async (file, bytes, rows) => {
    await go('upload');
    const [stream = ''] = file.split('.');
    await drop(file, await bytes());
    const job = page.getByRole('region', { name: `${file} to ${stream}` });
    await job.getByText(/^\d+ stored, 0 rejected\./).waitFor();
    const stored = Number.parseInt(await job.getByText(/^\d+ stored/).innerText(), 10);
    expect(stored).toBe(await server.client.count(stream));
    expect(stored).toBeGreaterThan(0);
    if (rows > 0) expect(stored).toBe(rows);
    await job.getByRole('link', { name: `Ask ${stream}` }).click();
    await page.locator('.status').getByText(`${stored} row`).waitFor();
  });

  it('says that a file has no record, and offers no stream that is not there', async () => {
    await go('upload');
    await drop('header.csv', 'a,b\n');
    const job = page.getByRole('region', { name: 'header.csv to header' });
    await job.getByText('There is no record in this file: nothing was stored.').waitFor();
    expect(await job.getByRole('link').count()).toBe(0);
  });

  it('says that leaving the page cancels what is on its way, and asks before it is closed', async () => {
    const asks = () =>
      page.evaluate<boolean>(
        "!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))",
      );
    await go('upload');
    expect(await asks()).toBe(false);
    await page.route(/\/held\//, () => undefined);
    await drop('held.ndjson', LINES);
    const job = page.getByRole('region', { name: 'held.ndjson to held' });
    await job.getByText('Stay on this page: leaving it cancels the upload.').waitFor();
    await until(asks);
    await job.getByRole('button', { name: 'Cancel' }).click();
    await job.getByText(/^Cancelled/).waitFor();
    await until(async () => !(await asks()));
  });

  it('has complained of nothing, and asked nobody else', () => {
    expect(complaints()).toEqual([]);
  });
}

inBrowser(() => {
  describe('uploading in a browser', uploading);
});
