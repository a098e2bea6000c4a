import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { passwordProblem } from '../../libs/identity/auth/password-hash.js';
import { VerifiedCredentials } from '../../libs/identity/auth/verified-credentials.js';
import {
  EnsureRoot,
  EnsureRootHandler,
  type RootCredentials,
} from '../../libs/identity/commands/installation/ensure-root.command.js';
import { eventsOf, openSite, startNode, type Node, type Site } from './node.js';

const EMAIL = 'root@example.com';
const FIRST_START = [
  'OrganizationNameReserved',
  'OrganizationCreated',
  'PasscodeRotated',
  'EmailReserved',
  'UserRegistered',
];

describe('EnsureRoot', () => {
  let site: Site;
  let file: string;
  let node: Node | undefined;
  let credentials: VerifiedCredentials;

  /** A start of the program: read models from the events, then the command. */
  async function start(password?: string, email = EMAIL): Promise<RootCredentials> {
    await node?.stop();
    node = await startNode(site);
    const { accounts, memberships, users, organizations, people } = node;
    credentials = new VerifiedCredentials(users, people);
    const handler = new EnsureRootHandler(accounts, memberships, credentials, users, organizations);
    return handler.execute(new EnsureRoot(email, password, site.directory));
  }

  const events = () => eventsOf(site.store);
  const types = async (): Promise<string[]> => (await events()).map(({ type }) => type);
  const isRootPassword = async (password: string): Promise<boolean> =>
    (await credentials.checkHere(EMAIL, password))?.root === true;

  beforeEach(() => {
    site = openSite();
    file = join(site.directory, 'root-credentials');
  });
  afterEach(async () => {
    await node?.stop();
    node = undefined;
    await site.dispose();
  });

  it('makes root with a strong password that only its owner can read', async () => {
    const { password = '', ...rest } = await start();
    expect(rest).toEqual({ email: EMAIL, file });
    expect(passwordProblem(password)).toBeUndefined();
    expect(password.length).toBeGreaterThanOrEqual(20);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe(`email=${EMAIL}\npassword=${password}\n`);
    expect(await isRootPassword(password)).toBe(true);
    expect(await types()).toEqual(FIRST_START);
  });

  it('makes the organization "default" with a database nobody can guess', async () => {
    await start('Secret-77');
    expect(node?.organizations.find('default')?.database).toMatch(/^o_[0-9a-f]{32}$/);
  });

  it('writes no password, no hash of one and no e-mail into an event', async () => {
    const { password = '' } = await start();
    await start('Secret-77');
    const written = JSON.stringify((await events()).map(({ data, metadata }) => [data, metadata]));
    for (const secret of ['argon2', EMAIL, password, 'Secret-77'])
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
    expect(await types()).toEqual(FIRST_START);
    expect(await isRootPassword('Secret-77')).toBe(true);
  });

  it('changes the password to another one that is given later, and drops the kept one', async () => {
    const { password = '' } = await start();
    await start('Secret-77');
    expect(await types()).toEqual([...FIRST_START, 'PasswordChanged']);
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
