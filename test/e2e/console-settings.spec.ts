import { jest } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { accessFaults, BROWSER, openBrowser, watchPage } from '../server/browser.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';

jest.setTimeout(240_000);

/** What there is to look after: streams, people, tokens, the audit trail, the server. */
function lookingAfterIt(): void {
  let server: Server;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: () => readonly string[];

  const signIn = async (on: Page, email: string, password: string): Promise<void> => {
    await on.goto(server.url);
    await on.getByLabel('E-mail').fill(email);
    await on.getByLabel('Password').fill(password);
    await on.keyboard.press('Enter');
    await on.getByRole('button', { name: 'Sign out' }).waitFor();
  };
  const go = (name: string): Promise<void> =>
    page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  const asRoot = async (path: string, body?: unknown): Promise<unknown> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await server.client.call(path, sent);
    expect([path, answer.status, answer.bytes.toString()]).toEqual([path, 200, expect.anything()]);
    return answer.json();
  };

  beforeAll(async () => {
    server = await startServer();
    browser = await openBrowser();
    context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    page = await context.newPage();
    complaints = watchPage(page, new URL(server.url).origin);
    await asRoot('/api/default/items/settings', { columns: { price: 'Float64' } });
    const rows = [{ id: 1, price: 1.5, note: 'cheap' }, { id: 2, price: 'four' }, { id: 3 }];
    await asRoot('/api/default/items/_json?wait=true', rows);
    await signIn(page, ROOT.email, ROOT.password);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  it('tries what was rejected again, after a change of settings', async () => {
    await go('Streams');
    const stream = page.locator('details.stream', { hasText: 'items' });
    await stream.getByRole('heading', { name: 'items' }).click();
    await stream.getByRole('button', { name: 'What was rejected' }).click();
    await stream.getByRole('button', { name: 'Try again' }).click();
    await stream.getByText('0 moved into the stream, 1 still rejected: line 2 of upload').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await stream.getByRole('button', { name: 'Settings' }).click();
    const type = stream.getByRole('form', { name: 'Type of a field of items' });
    await type.getByLabel('Field', { exact: true }).fill('price');
    await type.getByLabel('Type', { exact: true }).fill('Number');
    await page.keyboard.press('Enter');
    await stream.getByRole('alert').getByText('no type "Number" can be declared').waitFor();
    await type.getByLabel('Type', { exact: true }).fill('Utf8');
    await page.keyboard.press('Enter');
    await type.getByText('price is Utf8.').waitFor();
    await stream.getByRole('button', { name: 'What was rejected' }).click();
    await stream.getByRole('button', { name: 'Try again' }).click();
    await stream.getByText('1 moved into the stream.').waitFor();
    await stream.getByText('Nothing of items is rejected.').waitFor();
    await stream.getByText('3 records').waitFor();
    expect(await server.client.count('items')).toBe(3);
  });

  it('changes how long records are kept, and which fields are looked into', async () => {
    const stream = page.locator('details.stream', { hasText: 'items' });
    await stream.getByRole('button', { name: 'Settings' }).click();
    const form = stream.getByRole('form', { name: 'Settings of items' });
    await form.getByLabel('Days that records are kept').fill('30');
    await form.getByLabel('Field for: Searched for words').fill('note');
    await page.keyboard.press('Enter');
    await form.getByLabel('Field for: Indexed').fill('id');
    await form.getByRole('button', { name: 'Add' }).nth(1).click();
    expect(await accessFaults(page)).toEqual([]);
    await form.getByRole('button', { name: 'Save settings' }).click();
    await form.getByText('Saved.').waitFor();
    const settings = async () =>
      (await server.client.call('/api/default/streams/items/schema')).json<{ settings: unknown }>()
        .settings;
    expect(await settings()).toMatchObject({
      data_retention: 30,
      full_text_search_keys: ['note'],
      partition_keys: ['id'],
    });
    await form.getByRole('button', { name: 'Remove id from: Indexed' }).click();
    await form.getByLabel('Field for: Searched for words').fill('id');
    await form.getByRole('button', { name: 'Add' }).first().click();
    await form.getByRole('button', { name: 'Save settings' }).click();
    await form.getByRole('alert').getByText('"id" is not a Utf8 column of it').waitFor();
    expect(await settings()).toMatchObject({ partition_keys: ['id'] });
  });

  it('deletes a stream for who types its name', async () => {
    await asRoot('/api/default/brief/_json?wait=true', [{ n: 1 }]);
    await page.goto(`${server.url}/#/streams?org=default&stream=brief`);
    await page.reload();
    const stream = page.locator('details.stream', { hasText: 'brief' });
    await stream.getByRole('button', { name: 'Delete', exact: true }).click();
    const remove = stream.getByRole('button', { name: 'Delete brief' });
    await stream.getByLabel('Name of the stream').fill('brie');
    expect(await remove.isDisabled()).toBe(true);
    expect(await accessFaults(page)).toEqual([]);
    await stream.getByLabel('Name of the stream').fill('brief');
    await remove.click();
    await page.getByText('brief is deleted.').waitFor();
    await stream.waitFor({ state: 'detached' });
    expect((await server.client.call('/api/default/streams/brief/schema')).status).toBe(404);
  });

  it('is as good in the dark, and on a small screen', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const name of ['Streams']) {
        await go(name);
        await page.getByRole('heading', { name, exact: true }).waitFor();
        expect([name, colorScheme, await accessFaults(page)]).toEqual([name, colorScheme, []]);
        const beyond = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect([name, beyond]).toEqual([name, 0]);
      }
    }
  });

  it('has complained of nothing, and asked nobody else', () => {
    expect(complaints()).toEqual([]);
  });
}

if (BROWSER === undefined)
  it('is not looked at: this machine has no Chromium (apt-get install chromium)', () => {
    expect(BROWSER).toBeUndefined();
  });
else describe('looking after it, in a browser', lookingAfterIt);
