import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandPipeline, Projector, type EventStore, type RecordedEvent } from '@app/event-store';
import { openEmbeddedEventStore } from '@app/event-store/embedded';
import { passwordProblem, verifyPassword } from '../../libs/identity/auth/password-hash.js';
import { OrganizationsProjection } from '../../libs/identity/projections/organizations.projection.js';
import { UsersProjection } from '../../libs/identity/projections/users.projection.js';
import {
  EnsureRoot,
  EnsureRootHandler,
  type RootCredentials,
} from '../../libs/identity/commands/ensure-root.command.js';

const EMAIL = 'root@example.com';

describe('EnsureRoot', () => {
  let directory: string;
  let file: string;
  let store: EventStore;
  let projector: Projector | undefined;
  let users: UsersProjection;
  let organizations: OrganizationsProjection;

  /** A start of the program: read models from the events, then the command. */
  async function start(password?: string, email = EMAIL): Promise<RootCredentials> {
    await projector?.stop();
    users = new UsersProjection();
    organizations = new OrganizationsProjection();
    projector = new Projector(store, [users, organizations], { error: () => undefined });
    await projector.start();
    const pipeline = new CommandPipeline(store, projector);
    const handler = new EnsureRootHandler(pipeline, users, organizations);
    return handler.execute(new EnsureRoot(email, password, directory));
  }

  async function events(): Promise<RecordedEvent[]> {
    const all: RecordedEvent[] = [];
    for await (const event of store.readAll()) all.push(event);
    return all;
  }

  const types = async (): Promise<string[]> => (await events()).map(({ type }) => type);
  const isRootPassword = (password: string): Promise<boolean> =>
    verifyPassword(users.root()?.passwordHash ?? '', password);

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-root-'));
    file = join(directory, 'root-credentials');
    store = openEmbeddedEventStore({ directory: join(directory, 'events') });
  });
  afterEach(async () => {
    await projector?.stop();
    projector = undefined;
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('makes root with a strong password that only its owner can read', async () => {
    const { password = '', ...rest } = await start();
    expect(rest).toEqual({ email: EMAIL, file });
    expect(passwordProblem(password)).toBeUndefined();
    expect(password.length).toBeGreaterThanOrEqual(20);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toBe(`email=${EMAIL}\npassword=${password}\n`);
    expect(await isRootPassword(password)).toBe(true);
    expect(await types()).toEqual(['UserRegistered', 'OrganizationCreated']);
  });

  it('makes the organization "default" with a database nobody can guess', async () => {
    await start('Secret-77');
    expect(organizations.find('default')?.database).toMatch(/^o_[0-9a-f]{32}$/);
  });

  it('writes no password into an event', async () => {
    const { password = '' } = await start();
    await start('Secret-77');
    const written = JSON.stringify((await events()).map(({ data, metadata }) => [data, metadata]));
    expect(written).toContain('$argon2id$');
    expect(written).not.toContain(password);
    expect(written).not.toContain('Secret-77');
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
    expect(await types()).toEqual(['UserRegistered', 'OrganizationCreated']);
    expect(await isRootPassword('Secret-77')).toBe(true);
  });

  it('changes the password to another one that is given later, and drops the kept one', async () => {
    const { password = '' } = await start();
    await start('Secret-77');
    expect(await types()).toEqual(['UserRegistered', 'OrganizationCreated', 'PasswordChanged']);
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
