import { jest } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { accessFaults, openBrowser, signIn, watchPage } from '../server/browser.js';
import { inBrowser } from '../server/in-browser.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

jest.setTimeout(240_000);

const ANN = { email: 'ann@example.com', password: 'Secret-77' };
const BOB = { email: 'bob@example.com', password: 'Secret-78' };

/** Tells whether the browser will not send it. */
const isInvalid = (field: object): boolean =>
  !(field as { readonly validity: { readonly valid: boolean } }).validity.valid;

/** An admin looks after streams, people, tokens, the audit trail and the server. */
function lookingAfterIt(): void {
  let server: Server;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: () => readonly string[];

  /** A page of somebody else's browser. */
  const other = async (who: typeof ANN): Promise<Page> => {
    const theirs = await (await browser.newContext()).newPage();
    await signIn(theirs, server.url, who);
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
    await signIn(page, server.url, ROOT);
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  it('leads to a page by each name that it offers', async () => {
    const links = page.getByRole('navigation').locator('a[href^="#/"]');
    const names = await links.allInnerTexts();
    expect(names).toEqual(expect.arrayContaining(['Ask', 'Streams', 'People']));
    for (const name of names) {
      await go(name);
      await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    }
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

  it('declares a stream with a typed field before its first record', async () => {
    const form = page.getByRole('form', { name: 'Declare a stream' });
    const declare = async (stream: string, type: string): Promise<void> => {
      await form.getByLabel('Name of the stream').fill(stream);
      await form.getByLabel('Field', { exact: true }).fill('amount');
      await form.getByLabel('Type', { exact: true }).fill(type);
      await page.keyboard.press('Enter');
    };
    await declare('items', 'Int8');
    await form.getByRole('alert').getByText('There is a stream items already').waitFor();
    await declare('invoices', 'Money');
    await form.getByRole('alert').getByText('no type "Money" can be declared').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await declare('invoices', 'Decimal128(15, 2)');
    await form.getByText('invoices is there, and takes records.').waitFor();
    await page.locator('details.stream', { hasText: 'invoices' }).waitFor();
    await asRoot('/api/default/invoices/_json?wait=true', [{ amount: '12.50' }]);
    const rows = await server.client.sql('SELECT toTypeName(amount) AS type FROM invoices');
    expect(rows).toEqual([{ type: 'Nullable(Decimal(15, 2))' }]);
  });

  it('makes an account, changes its role, and shows its owner less', async () => {
    await go('People');
    const form = page.getByRole('form', { name: 'Add somebody' });
    await form.getByLabel('E-mail').fill(ANN.email);
    await form.getByRole('button', { name: 'Add or invite' }).click();
    await form
      .getByRole('alert')
      .getByText('Nobody has an account with this e-mail. Tick the box above to make one.')
      .waitFor();
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

  it('makes a token for one stream, shows it once, and revokes it', async () => {
    await asRoot('/api/default/hidden/_json?wait=true', [{ n: 1 }]);
    await go('Tokens');
    const form = page.getByRole('form', { name: 'Make a token' });
    await form.getByLabel('Name, such as').fill('shipper');
    await form.getByLabel('Good until').fill('2020-01-01');
    await form.getByLabel('Stream for: Only for').fill('items');
    await form.getByRole('button', { name: 'Make the token' }).click();
    // It would be for all streams: the browser asks to press Add first.
    expect(await form.getByLabel('Stream for: Only for').evaluate(isInvalid)).toBe(true);
    await form.getByRole('button', { name: 'Add' }).click();
    await form.getByRole('button', { name: 'Make the token' }).click();
    await form.getByRole('alert').getByText('expires_at: it is over already').waitFor();
    await form.getByLabel('Good until').fill('2120-01-01');
    await form.getByRole('button', { name: 'Make the token' }).click();
    const told = page.getByLabel('The new token shipper');
    const secret = await told.locator('.secret').innerText();
    const row = await page.getByRole('row', { name: /^shipper/ }).innerText();
    expect(row).toMatch(/viewer\s+items\s+2120-01-02 00:00:00\s.* by root@example.com/);
    expect(await accessFaults(page)).toEqual([]);
    const headers = { authorization: `Bearer ${secret}` };
    const count = (stream: string) =>
      server.client.call('/api/default/sql', {
        body: `SELECT count() AS n FROM ${stream}`,
        headers,
        credentials: 'none',
      });
    expect((await count('items')).json()).toEqual([{ n: 3 }]);
    expect((await count('hidden')).status).toBe(404);

    const theirs = await (await browser.newContext()).newPage();
    await theirs.goto(server.url);
    await theirs.getByRole('button', { name: 'Use a token' }).click();
    await theirs.getByLabel('Token of an organization').fill(secret);
    await theirs.keyboard.press('Enter');
    await theirs.getByText('a token', { exact: true }).waitFor();
    expect(await theirs.getByRole('navigation').getByRole('link').allInnerTexts()).toEqual([
      ...['Ask', 'Search', 'Streams', 'API'],
    ]);
    await told.getByRole('button', { name: 'I have it' }).click();
    await page.reload();
    await page.getByRole('row', { name: /^shipper/ }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('button', { name: 'Revoke shipper' }).click();
    const question = page.getByRole('group', { name: /^Revoke shipper/ });
    await question.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('shipper is revoked.').waitFor();
    expect((await count('items')).status).toBe(401);
    await theirs.reload();
    await theirs.getByLabel('Password').waitFor();
    await theirs.context().close();
  });

  it('shows the passcode to who asks for it, and replaces it', async () => {
    const passcode = async (): Promise<string> => {
      const answer = await server.client.call('/api/default/passcode');
      return answer.json<{ data: { passcode: string } }>().data.passcode;
    };
    const first = await passcode();
    const section = page.getByRole('region', { name: 'Passcode' });
    expect(await page.content()).not.toContain(first);
    await section.getByRole('button', { name: 'Show the passcode' }).click();
    await section.getByText(first).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await section.getByRole('button', { name: 'Replace the passcode' }).click();
    await section.getByRole('button', { name: 'Replace', exact: true }).click();
    await section.getByText('This is the new passcode.').waitFor();
    expect(await section.locator('.secret').innerText()).toBe(await passcode());
    expect(await passcode()).not.toBe(first);
    await section.getByRole('button', { name: 'Hide' }).click();
  });

  it('shows who did what, by filters and by a link, and whether that is so', async () => {
    for (let n = 0; n < 101; n += 1)
      await server.client.call('/api/acme/rename', {
        method: 'PUT',
        body: JSON.stringify({ new_name: `Acme ${n}` }),
      });
    const gone = '/api/acme/audited/_json';
    expect((await server.client.call(gone, { method: 'POST', body: '[{"a":1}]' })).status).toBe(
      200,
    );
    await server.client.call('/api/acme/streams/audited', { method: 'DELETE' });
    await page.goto(`${server.url}/#/audit?org=acme`);
    const status = page.locator('main > .status');
    const texts = () =>
      page.getByRole('list', { name: 'Entries' }).locator('.text').allInnerTexts();
    const verified = page.getByRole('region', { name: 'Verified' });
    await verified.getByText(/^Intact: 1\d\d entries compared with the events on/).waitFor();
    const head = await verified.locator('.secret').innerText();
    await status.getByText(/^1\d\d entries, the newest 100 shown$/).waitFor();
    await page.getByRole('button', { name: 'Older entries' }).click();
    await status.getByText(/^1\d\d entries$/).waitFor();
    expect((await texts()).at(-1)).toBe('OrganizationCreated by ann@example.com');

    const form = page.getByRole('form', { name: 'Filter' });
    await form.getByLabel('What').fill('UserInvited');
    await form.getByLabel('Who').fill(ANN.email);
    await page.keyboard.press('Enter');
    await status.getByText('2 entries', { exact: true }).waitFor();
    expect(await texts()).toEqual(Array(2).fill('UserInvited by ann@example.com'));
    await page.locator('.lines summary').first().focus();
    await page.keyboard.press('Enter');
    await page.getByText('request_id').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await page.reload();
    await status.getByText('2 entries', { exact: true }).waitFor();
    await page.locator('.lines summary').first().click();
    await page.getByRole('button', { name: 'Only by ann@example.com' }).click();
    await status.getByText(/^\d+ entries$/).waitFor();
    await until(async () => (await texts()).length > 2);
    expect(await form.getByLabel('What').inputValue()).toBe('');

    await form.getByRole('button', { name: 'Show all' }).click();
    await form.getByLabel('Until, included').fill('2020-01-01');
    await page.keyboard.press('Enter');
    await status.getByText('0 entries').waitFor();
    await form.getByRole('button', { name: 'Show all' }).click();
    await form.getByLabel('Stream').fill('audited');
    await page.keyboard.press('Enter');
    await status.getByText('2 entries', { exact: true }).waitFor();
    expect(await texts()).toEqual([
      'StreamDeleted audited by root@example.com',
      'StreamCreated audited by root@example.com',
    ]);
    await form.getByRole('button', { name: 'Show all' }).click();
    await form.getByLabel('Hash').fill(head);
    await page.keyboard.press('Enter');
    await status.getByText('1 entry', { exact: true }).waitFor();
    const refusal = { credentials: BOB, method: 'DELETE' };
    expect((await server.client.call('/api/default/streams/items', refusal)).status).toBe(403);
    await page.goto(`${server.url}/#/audit?org=default`);
    await form.getByLabel('Outcome').selectOption('refused');
    await form.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('CommandRefused by bob@example.com').first().waitFor();
  });

  it('says so where the trail is not what the events say', async () => {
    const problems = ['position 7: changed in actor'];
    const data = { intact: false, entries: 9, head: 'f'.repeat(64), problems, checked_at: 1e15 };
    await page.route('**/audit/verify', (route) => route.fulfill({ json: { code: 200, data } }));
    const verified = page.getByRole('region', { name: 'Verified' });
    await verified.getByRole('button', { name: 'Verify again' }).click();
    await verified.getByText('Not intact').waitFor();
    await verified.getByText('position 7: changed in actor').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await page.unroute('**/audit/verify');
    await verified.getByRole('button', { name: 'Verify again' }).click();
    await verified.getByText(/^Intact:/).waitFor();
  });

  it('tells root whether the server is ready, and how far behind it is', async () => {
    await go('Server');
    await page.getByText('Ready', { exact: true }).waitFor();
    const parts = page.getByRole('region', { name: 'What it rests on' });
    expect(await parts.getByRole('row').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^warehouse\s+ready$/)]),
    );
    const facts = page.getByRole('region', { name: 'How far it is' });
    await facts.getByRole('row', { name: /^Events that read models lack\s+0$/ }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    const asked = page.getByText(/^As the node that answered at/);
    await page.getByLabel('Ask every five seconds').uncheck();
    const before = await asked.innerText();
    await until(async () => {
      await page.getByRole('button', { name: 'Ask now' }).click();
      return (await asked.innerText()) !== before;
    });
  });

  it('changes the own password, which ends every session, and founds an organization', async () => {
    const ann = await other(ANN);
    await ann.getByRole('link', { name: 'Account: ann@example.com' }).click();
    const names = ann.getByRole('form', { name: 'Your names' });
    expect(await names.getByLabel('First name').inputValue()).toBe('Ann');
    await names.getByLabel('Last name').fill('Lee');
    await ann.keyboard.press('Enter');
    await names.getByText('Your names are saved.').waitFor();
    await ann.reload();
    expect(await names.getByLabel('Last name').inputValue()).toBe('Lee');
    const form = ann.getByRole('form', { name: 'Change your password' });
    const wanted = 'Another-79';
    const change = async (before: string, again: string): Promise<void> => {
      await form.getByLabel('Present password').fill(before);
      await form.getByLabel('New password', { exact: true }).fill(wanted);
      await form.getByLabel('New password again').fill(again);
      await ann.keyboard.press('Enter');
    };
    await change(ANN.password, 'Another-78');
    await form.getByText('The two new passwords differ.').waitFor();
    await change('wrong', wanted);
    await form.getByRole('alert').getByText('this is not the present password').waitFor();
    expect(await accessFaults(ann)).toEqual([]);
    await change(ANN.password, wanted);
    await ann.getByText('Your session is over. Sign in again.').waitFor();
    await ann.context().close();
    const again = await other({ ...ANN, password: wanted });
    await again.getByRole('link', { name: 'Account: ann@example.com' }).click();
    const found = again.getByRole('form', { name: 'Create an organization' });
    for (const [name, said] of [
      ['acme', 'There is an organization acme already.'],
      ['Not A Name', 'want 1 to 63 of a-z'],
    ] as const) {
      await found.getByLabel('Name, as it').fill(name);
      await again.keyboard.press('Enter');
      await found.getByRole('alert').getByText(said).waitFor();
    }
    await found.getByLabel('Name, as it').fill('passing');
    await again.keyboard.press('Enter');
    await found.getByRole('link', { name: 'Look at passing' }).click();
    await again.getByText('There is no stream in passing yet').waitFor();
    await again.context().close();
  });

  it('shows an organization by another name, and ends it for who types the one in addresses', async () => {
    await page.goto(`${server.url}/#/organization?org=default`);
    await page.reload();
    await page.getByRole('form', { name: 'Name' }).waitFor();
    // This is every account's.
    expect(await page.getByRole('button', { name: /^Delete/ }).count()).toBe(0);
    await asRoot('/api/fleeting/users/bob@example.com', { role: 'admin' });
    const bob = await other(BOB);
    await bob.goto(`${server.url}/#/organization?org=fleeting`);
    const form = bob.getByRole('form', { name: 'Name' });
    await form.getByLabel('Displayed name').fill('Fleeting & Sons');
    await bob.keyboard.press('Enter');
    await form.getByText('People are shown Fleeting & Sons now.').waitFor();
    await bob.reload();
    expect(await form.getByLabel('Displayed name').inputValue()).toBe('Fleeting & Sons');
    const end = bob.getByRole('button', { name: 'Delete fleeting' });
    await bob.getByLabel('Name of the organization').fill('Fleeting & Sons');
    expect(await end.isDisabled()).toBe(true);
    expect(await accessFaults(bob)).toEqual([]);
    await bob.getByLabel('Name of the organization').fill('fleeting');
    await end.click();
    const choice = bob.getByRole('combobox', { name: 'Organization' });
    await until(async () => !(await choice.innerText()).includes('fleeting'));
    await bob.goto(`${server.url}/#/ask?org=fleeting`);
    await bob.getByText('There is no organization fleeting for you.').waitFor();
    expect((await server.client.call('/api/fleeting/streams')).status).toBe(404);
    await bob.context().close();
  });

  it('leads somebody who is in no organization on', async () => {
    const dora = { email: 'dora@example.com', password: 'Secret-80' };
    const person = { ...dora, first_name: 'Dora', last_name: '', role: 'viewer' };
    await asRoot('/api/passing/users', person);
    const end = (path: string, body?: string) =>
      server.client.call(path, { method: 'DELETE', ...(body === undefined ? {} : { body }) });
    expect((await end(`/api/default/users/${dora.email}`)).status).toBe(200);
    expect((await end('/api/passing', '{"name":"passing"}')).status).toBe(200);
    const theirs = await other(dora);
    await theirs.getByText('You are in no organization.').waitFor();
    expect(await accessFaults(theirs)).toEqual([]);
    await theirs.getByLabel('Name, as it').fill('doras');
    await theirs.keyboard.press('Enter');
    await theirs.getByText('There is no stream in doras yet').waitFor();
    await theirs.context().close();
  });

  it('is as good in the dark, and on a small screen', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const name of [
        'Streams',
        'People',
        'Tokens',
        'Organization',
        'Audit',
        'Server',
        'Account',
      ]) {
        // prettier-ignore
        if (name === 'Account') await page.getByRole('link', { name: /^Account/ }).click();
        else await go(name);
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

inBrowser(() => {
  describe('looking after it, in a browser', lookingAfterIt);
});
