import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { jest } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { accessFaults, openBrowser, signIn, watchPage } from '../server/browser.js';
import { inBrowser } from '../server/in-browser.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';

jest.setTimeout(120_000);

function signingUp(): void {
  let server: Server;
  let browser: Browser;
  let page: Page;
  let complaints: () => readonly string[];

  const open = async (variables: Record<string, string>): Promise<void> => {
    server = await startServer({ variables });
    page = await (await browser.newContext()).newPage();
    complaints = watchPage(page, new URL(server.url).origin);
    const rule = page.waitForResponse('**/api/signup');
    await page.goto(server.url);
    await rule;
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  };
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  afterEach(() => server.stop());

  it('ends with a token that works, and a session', async () => {
    await open({ MILLRACE_SIGNUP: 'open', MILLRACE_SIGNUP_DOMAINS: 'example.com' });
    await page.getByRole('button', { name: 'Create an account' }).click();
    expect(await accessFaults(page)).toEqual([]);
    await page.getByText('Addresses of example.com only.').waitFor();
    await page.getByLabel('E-mail').fill('ann@example.com');
    await page.getByLabel('First name').fill('Ann');
    await page.getByLabel('Password').fill('weak');
    await page.getByLabel('Organization').fill('ann-co');
    await page.keyboard.press('Enter');
    await page.getByText(/a password needs 8 to 128 characters/).waitFor();
    await page.getByLabel('Password').fill('Secret-77');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'ann-co is yours' }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    const token = (await page.locator('pre').first().textContent()) ?? '';
    const answer = await server.client.call('/api/ann-co/sql', {
      method: 'POST',
      credentials: 'none',
      headers: { authorization: `Bearer ${token}` },
      body: 'SELECT 1 AS one',
    });
    expect(answer.json()).toEqual([{ one: 1 }]);
    const command = (await page.locator('pre').nth(1).textContent()) ?? '';
    const { stdout } = await promisify(execFile)('sh', [
      '-c',
      command.replace('curl ', 'curl -s '),
    ]);
    expect(JSON.parse(stdout)).toEqual({
      code: 200,
      status: [{ name: 'logs', successful: 1, failed: 0 }],
    });
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    expect(complaints().filter((each) => !/40[013]/.test(each))).toEqual([]);

    // Root marks the address as proven, so its owner may be invited from now on.
    const asked = await (await browser.newContext()).newPage();
    await signIn(asked, server.url, ROOT);
    await asked.goto(`${server.url}/#/people?org=ann-co`);
    await asked.getByText('(nobody has shown that it is theirs)').waitFor();
    await asked.getByRole('button', { name: 'Prove ann@example.com' }).click();
    expect(await accessFaults(asked)).toEqual([]);
    await asked.getByRole('button', { name: 'Prove', exact: true }).click();
    await asked.getByText('ann@example.com is marked as proven.').waitFor();
    await asked.getByText('(nobody has shown that it is theirs)').waitFor({ state: 'detached' });
    await asked.context().close();
  });

  it('is not offered where the operator does not allow it', async () => {
    await open({});
    expect(await page.getByRole('button', { name: 'Create an account' }).count()).toBe(0);
  });
}

inBrowser(() => {
  describe('signing up, in a browser', signingUp);
});
