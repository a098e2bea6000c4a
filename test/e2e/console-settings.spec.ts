import { jest } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { accessFaults, BROWSER, openBrowser, watchPage } from '../server/browser.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';

jest.setTimeout(240_000);

const ANN = { email: 'ann@example.com', password: 'Secret-77' };
const BOB = { email: 'bob@example.com', password: 'Secret-78' };

/** What there is to look after: streams, people, tokens, the audit trail, the server. */
function lookingAfterIt(): void {
  let server: Server;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: () => readonly string[];

  const signIn = async (on: Page, { email, password }: typeof ANN): Promise<void> => {
    await on.goto(server.url);
    await on.getByLabel('E-mail').fill(email);
    await on.getByLabel('Password').fill(password);
    await on.keyboard.press('Enter');
    await on.getByRole('button', { name: 'Sign out' }).waitFor();
  };
  /** A page of somebody else's browser. */
  const other = async (who: typeof ANN): Promise<Page> => {
    const theirs = await (await browser.newContext()).newPage();
    await signIn(theirs, who);
    return theirs;
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
    await signIn(page, ROOT);
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

  it('makes an account, changes its role, and shows its owner less', async () => {
    await go('People');
    const form = page.getByRole('form', { name: 'Add somebody' });
    await form.getByLabel('E-mail').fill(ANN.email);
    await form.getByRole('button', { name: 'Add or invite' }).click();
    await form.getByRole('alert').getByText('User not found').waitFor();
    await form.getByLabel('They have no account yet').check();
    await form.getByLabel('First name').fill('Ann');
    await form.getByLabel('Password').fill('short');
    await form.getByRole('button', { name: 'Make the account' }).click();
    await form.getByRole('alert').getByText('password').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await form.getByLabel('Password').fill(ANN.password);
    await form.getByRole('button', { name: 'Make the account' }).click();
    await form.getByText('ann@example.com is viewer of default now.').waitFor();
    const members = page.getByRole('region', { name: 'Members of default' });
    await members.getByLabel('Role of ann@example.com').selectOption('editor');
    await page.getByText('ann@example.com is editor now.').waitFor();
    const ann = await other(ANN);
    const pages = ann.getByRole('navigation').getByRole('link');
    expect(await pages.allInnerTexts()).toEqual([
      ...['Ask', 'Search', 'Upload', 'Streams', 'API', 'GraphiQL'],
    ]);
    for (const name of ['people', 'tokens', 'audit', 'server']) {
      await ann.goto(`${server.url}/#/${name}?org=default`);
      await ann.getByText('is not for you as editor of default').waitFor();
    }
    const path = '/api/default/users';
    expect((await server.client.call(path, { credentials: ANN })).status).toBe(403);
    await ann.goto(`${server.url}/#/streams?org=default&stream=items`);
    await ann.getByRole('button', { name: 'Settings' }).waitFor();
    expect(await ann.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    await members.getByLabel('Role of ann@example.com').selectOption('viewer');
    await page.getByText('ann@example.com is viewer now.').waitFor();
    await ann.reload();
    await ann.getByRole('button', { name: 'What was rejected' }).waitFor();
    expect(await ann.getByRole('button', { name: 'Settings' }).count()).toBe(0);
    await ann.context().close();
  });

  it('invites, and who is invited accepts, in the browser', async () => {
    const person = { ...BOB, first_name: 'Bob', last_name: '', role: 'viewer' };
    await asRoot('/api/default/users', person);
    const founding = { body: '{"role":"admin"}', credentials: ANN };
    await server.client.call(`/api/acme/users/${ANN.email}`, founding);
    const ann = await other(ANN);
    await ann.goto(`${server.url}/#/people?org=acme`);
    const form = ann.getByRole('form', { name: 'Add somebody' });
    for (const { email } of [BOB, { email: 'nobody@example.com' }]) {
      await form.getByLabel('E-mail').fill(email);
      await form.getByRole('combobox', { name: 'Role' }).selectOption('editor');
      await form.getByRole('button', { name: 'Add or invite' }).click();
      await form.getByText(`${email} is invited`).waitFor();
    }
    const pending = ann.getByRole('region', { name: 'Pending invitations' });
    await pending.getByRole('button', { name: 'Withdraw nobody@example.com' }).click();
    await ann.getByText('The invitation of nobody@example.com is withdrawn.').waitFor();
    expect(await accessFaults(ann)).toEqual([]);

    const bob = await other(BOB);
    const asked = bob.getByRole('region', { name: 'Invitations for you' });
    await asked.getByText('acme invites you as editor').waitFor();
    expect(await accessFaults(bob)).toEqual([]);
    await asked.getByRole('button', { name: 'Accept the invitation of acme' }).click();
    await asked.getByRole('link', { name: 'Look at acme' }).click();
    await bob.getByText('There is no stream in acme yet').waitFor();
    expect(await bob.getByLabel('Organization').inputValue()).toBe('acme');

    await ann.reload();
    await ann.getByRole('button', { name: 'Remove bob@example.com' }).click();
    const question = ann.getByRole('group', { name: /^Remove bob@example.com from acme/ });
    await question.getByRole('button', { name: 'Keep' }).click();
    await ann.getByRole('button', { name: 'Remove bob@example.com' }).click();
    await question.getByRole('button', { name: 'Remove' }).click();
    await ann.getByText('bob@example.com is removed.').waitFor();
    await bob.reload();
    await bob.getByText('There is no organization acme for you').waitFor();
    await ann.context().close();
    await bob.context().close();
  });

  it('is as good in the dark, and on a small screen', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const name of ['Streams', 'People']) {
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
