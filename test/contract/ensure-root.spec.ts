import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedEvent } from '@app/event-store';
import { passwordProblem } from '../../libs/identity/auth/password-hash.js';
import {
  EnsureRoot,
  EnsureRootHandler,
  type RootCredentials,
} from '../../libs/identity/commands/ensure-root.command.js';
import { IdentityNode, IdentityStores } from './identity-parts.js';

const EMAIL = 'root@example.com';
const STARTED = ['OrganizationCreated', 'PasscodeRotated', 'UserRegistered'];

describe('EnsureRoot', () => {
  let stores: IdentityStores;
  let file: string;
  let node: IdentityNode | undefined;

  /** A start of the program: read models from the events, then the command. */
  async function start(password?: string, email = EMAIL): Promise<RootCredentials> {
    await node?.projector.stop();
    node = new IdentityNode(stores);
    await node.projector.start();
    const { accounts, memberships, credentials, users, organizations } = node;
    const handler = new EnsureRootHandler(accounts, memberships, credentials, users, organizations);
    return handler.execute(new EnsureRoot(email, password, stores.directory));
  }

  async function events(): Promise<RecordedEvent[]> {
    const all: RecordedEvent[] = [];
    for await (const event of stores.events.readAll()) all.push(event);
    return all;
  }

  const types = async (): Promise<string[]> =>
    (await events()).map(({ type }) => type).filter((type) => !type.endsWith('Reserved'));
  const isRootPassword = async (password: string): Promise<boolean> =>
    (await node?.credentials.check(EMAIL, password)) !== undefined;

  beforeEach(() => {
    stores = new IdentityStores();
    file = join(stores.directory, 'root-credentials');
  });
  afterEach(async () => {
    await node?.projector.stop();
    node = undefined;
    await stores.close();
  });

  it('makes root with a strong password that only its owner can read', async () => {
    const { password = '', ...rest } = await start();
    expect(rest).toEqual({ email: EMAIL, file });
    expect(passwordProblem(password)).toBeUndefined();
    expect(password.length).toBeGreaterThanOrEqual(20);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe(`email=${EMAIL}\npassword=${password}\n`);
    expect(await isRootPassword(password)).toBe(true);
    expect(await types()).toEqual(STARTED);
  });

  it('makes the organization "default" with a database nobody can guess', async () => {
    await start('Secret-77');
    expect(node?.organizations.find('default')?.database).toMatch(/^o_[0-9a-f]{32}$/);
  });

  it('writes neither password nor hash nor e-mail into an event', async () => {
    const { password = '' } = await start();
    await start('Secret-77');
    const written = JSON.stringify((await events()).map(({ data, metadata }) => [data, metadata]));
    for (const secret of ['$argon2', EMAIL, password, 'Secret-77'])
      expect(written).not.toContain(secret);
  });

  it('changes nothing at a later start, and does not tell the password again', async () => {
    await start();
    const before = await events();
    expect(await start()).toEqual({ email: EMAIL, password: undefined, file });
    expect(await events()).toEqual(before);
  });

  it('takes a given password, keeps it nowhere and repeats it nowhere', async () => {
    expect(await start('Secret-77')).toEqual({
      email: EMAIL,
      password: undefined,
      file: undefined,
    });
    expect(existsSync(file)).toBe(false);
    await start('Secret-77');
    expect(await types()).toEqual(STARTED);
    expect(await isRootPassword('Secret-77')).toBe(true);
  });

  it('changes the password to another one that is given later, and drops the kept one', async () => {
    const { password = '' } = await start();
    await start('Secret-77');
    expect(await types()).toEqual([...STARTED, 'PasswordChanged']);
    expect([await isRootPassword(password), await isRootPassword('Secret-77')]).toEqual([
      false,
      true,
    ]);
    expect(existsSync(file)).toBe(false);
  });

  it('goes on with the kept password after a crash before the account was there', async () => {
    writeFileSync(file, 'email=old@example.com\npassword=Kept-from-before-1\n', { mode: 0o600 });
    expect(await start()).toMatchObject({ password: 'Kept-from-before-1' });
    expect(await isRootPassword('Kept-from-before-1')).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain(`email=${EMAIL}`);
  });

  it('leaves no file with a password that is not the one', async () => {
    writeFileSync(file, 'email=root@example.com\npassword=Kept-from-before-1\n', { mode: 0o600 });
    await start('Secret-77');
    expect(existsSync(file)).toBe(false);
  });

  it('refuses a weak password and stores nothing', async () => {
    await expect(start('short')).rejects.toThrow(/MILLRACE_ROOT_PASSWORD.*8 to 128/);
    expect(await events()).toEqual([]);
  });
});
