import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { RecordedEvent } from '@app/event-store';
import { ServerKey } from '@app/key-store';
import { EmbeddedPersonKeys } from '@app/key-store/embedded';
import type { UserEvent } from '../aggregates/user.aggregate.js';
import { PersonalData } from '../people/personal-data.js';
import { UsersProjection } from '../projections/users.projection.js';
import { hashPassword } from './password-hash.js';
import type { Attempt } from './throttle/login-throttle.js';
import { VerifiedCredentials, type Credentials } from './verified-credentials.js';

const EMAIL = 'ann@example.com';
const PASSWORD = 'Secret-77';
const SIX_MINUTES_MS = 6 * 60 * 1000;

function recorded(userId: string, event: UserEvent): RecordedEvent {
  const metadata = { $correlationId: 'c', $causationId: 'c', actor: 'system', schemaVersion: 1 };
  return {
    ...event,
    id: crypto.randomUUID(),
    stream: `user-${userId}`,
    revision: 0,
    position: 1n,
    metadata: { ...metadata, occurredAt: '2026-01-01T00:00:00.000Z' },
  };
}

describe('VerifiedCredentials', () => {
  let users: UsersProjection;
  let credentials: VerifiedCredentials;

  let people: PersonalData;
  let directory: string;

  const from = (prefix: string, email: string, password: string): Credentials => ({
    email,
    password,
    prefix,
    network: prefix,
  });
  const check = (email: string, password: string, begin?: () => Promise<Attempt>) =>
    credentials.check(from('home', email, password), begin);
  const recall = (email: string, password: string) =>
    credentials.recall(from('home', email, password));

  const changePassword = async (password: string): Promise<RecordedEvent> => {
    const credential = await people.sealCredential('1', await hashPassword(password));
    return recorded('1', { type: 'PasswordChanged', data: { id: '1', credential } });
  };

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-credentials-'));
    const serverKey = new ServerKey(randomBytes(32));
    people = new PersonalData(serverKey, new EmbeddedPersonKeys(directory, serverKey));
    users = new UsersProjection(people);
    const data = {
      id: '1',
      emailHash: people.emailHash(EMAIL),
      root: false,
      profile: await people.sealProfile('1', { email: EMAIL, firstName: 'Ann', lastName: 'X' }),
      credential: await people.sealCredential('1', await hashPassword(PASSWORD)),
    };
    await users.apply(recorded('1', { type: 'UserRegistered', data }));
    credentials = new VerifiedCredentials(users, people);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(directory, { recursive: true, force: true });
  });

  it('knows the right password, whatever the case of the e-mail, and no other', async () => {
    expect(await check(EMAIL, PASSWORD)).toMatchObject({ id: '1' });
    expect(await check('Ann@Example.com', PASSWORD)).toMatchObject({ id: '1' });
    expect(await check(EMAIL, 'secret-77')).toBeUndefined();
    expect(await check('bob@example.com', PASSWORD)).toBeUndefined();
  });

  it('recalls what was right a moment ago, and never what was wrong', async () => {
    expect(recall(EMAIL, PASSWORD)).toBeUndefined();
    await check(EMAIL, PASSWORD);
    expect(recall(EMAIL, PASSWORD)).toEqual(users.byId('1'));
    await check(EMAIL, 'wrong');
    expect(recall(EMAIL, 'wrong')).toBeUndefined();
  });

  it('does not take one pair for another with the same letters', async () => {
    await check(EMAIL, PASSWORD);
    expect(await check(`${EMAIL}S`, 'ecret-77')).toBeUndefined();
  });

  /** Counts how checks begin and end. */
  function counted(): {
    begin(): Promise<Attempt>;
    readonly counts: Record<'begun' | 'right' | 'wrong' | 'undecided', number>;
  } {
    const counts = { begun: 0, right: 0, wrong: 0, undecided: 0 };
    const begin = (): Promise<Attempt> => {
      counts.begun += 1;
      return Promise.resolve({
        standing: 'new',
        right: () => void (counts.right += 1),
        wrong: () => void (counts.wrong += 1),
        undecided: () => void (counts.undecided += 1),
      });
    };
    return { begin, counts };
  }

  it('asks the same question once, however many ask at the same time', async () => {
    const { begin, counts } = counted();
    const ask = (password: string) =>
      Promise.all(Array.from({ length: 64 }, async () => check(EMAIL, password, begin)));
    expect((await ask(PASSWORD)).map((user) => user?.id)).toEqual(Array(64).fill('1'));
    expect(counts).toEqual({ begun: 1, right: 1, wrong: 0, undecided: 0 });
    expect(new Set(await ask('wrong'))).toEqual(new Set([undefined]));
    expect(counts).toEqual({ begun: 2, right: 1, wrong: 1, undecided: 0 });
  });

  it('checks nothing when the beginning is refused, and gives what a wrong end throws', async () => {
    const refused = (): never => {
      throw new Error('too often');
    };
    await expect(
      check(EMAIL, PASSWORD, async () => Promise.resolve().then(refused)),
    ).rejects.toThrow('too often');
    expect(recall(EMAIL, PASSWORD)).toBeUndefined();
    const end = { ...(await counted().begin()), wrong: refused };
    await expect(check(EMAIL, 'wrong', () => Promise.resolve(end))).rejects.toThrow('too often');
    expect(await check(EMAIL, PASSWORD)).toMatchObject({ id: '1' });
  });

  it('checks again after a while', async () => {
    await check(EMAIL, PASSWORD);
    const later = performance.now() + SIX_MINUTES_MS;
    const clock = jest.spyOn(performance, 'now').mockReturnValue(later);
    expect(recall(EMAIL, PASSWORD)).toBeUndefined();
    clock.mockRestore();
    expect(await check(EMAIL, PASSWORD)).toMatchObject({ id: '1' });
  });

  it('remembers as long as it should when the clock of the machine is set', async () => {
    await check(EMAIL, PASSWORD);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 24 * SIX_MINUTES_MS);
    expect(recall(EMAIL, PASSWORD)).toBeDefined();
    clock.mockReturnValue(0);
    expect(recall(EMAIL, PASSWORD)).toBeDefined();
    clock.mockRestore();
  });

  it('forgets a password the moment it is changed', async () => {
    await check(EMAIL, PASSWORD);
    await users.apply(await changePassword('Other-777'));
    expect(await check(EMAIL, PASSWORD)).toBeUndefined();
    expect(await check(EMAIL, 'Other-777')).toMatchObject({ id: '1' });
  });

  it('refuses a password that is changed while it is checked', async () => {
    const changed = await changePassword('Other-777');
    const asked = check(EMAIL, PASSWORD);
    await users.apply(changed);
    expect(await asked).toBeUndefined();
    expect(await check(EMAIL, PASSWORD)).toBeUndefined();
  });

  it('knows nobody who is erased', async () => {
    await check(EMAIL, PASSWORD);
    await users.apply(recorded('1', { type: 'UserErased', data: { id: '1' } }));
    expect(recall(EMAIL, PASSWORD)).toBeUndefined();
    expect(await check(EMAIL, PASSWORD)).toBeUndefined();
  });

  it('takes as long for an account that does not exist', async () => {
    const time = async (email: string, password: string): Promise<number> => {
      // Processor time in milliseconds, because other work on the machine must not decide the
      // result.
      const before = process.cpuUsage();
      await check(email, password);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    // The two are measured in turn, and the shortest time of each counts, because this process does
    // other things too.
    let [known, unknown] = [Infinity, Infinity];
    for (let run = 0; run < 8; run += 1) {
      known = Math.min(known, await time(EMAIL, `wrong ${run}`));
      unknown = Math.min(unknown, await time('bob@example.com', `wrong ${run}`));
    }
    expect(unknown).toBeGreaterThan(known / 2);
    expect(unknown).toBeLessThan(known * 2);
  });

  it('recalls only where it was right, so that nobody elsewhere can ask for it unpaced', async () => {
    await check(EMAIL, PASSWORD);
    expect(credentials.recall(from('elsewhere', EMAIL, PASSWORD))).toBeUndefined();
    const { begin, counts } = counted();
    await credentials.check(from('elsewhere', EMAIL, PASSWORD), begin);
    expect(counts).toMatchObject({ begun: 1, right: 1 });
    expect(credentials.recall(from('elsewhere', EMAIL, PASSWORD))).toEqual(users.byId('1'));
  });

  it('asks for each prefix by itself', async () => {
    const { begin, counts } = counted();
    await Promise.all(
      ['a', 'b'].map((prefix) => credentials.check(from(prefix, EMAIL, 'wrong'), begin)),
    );
    expect(counts).toMatchObject({ begun: 2, wrong: 2 });
  });

  it('lets so many guesses of one prefix wait, refuses more, and serves others between them', async () => {
    await check('bob@example.com', 'so that the answer for nobody is there');
    const { begin, counts } = counted();
    const order: string[] = [];
    const ask = async (prefix: string, tried: number): Promise<void> => {
      await credentials.check(from(prefix, EMAIL, `guess ${tried}`), begin);
      order.push(prefix);
    };
    const guesses = Array.from({ length: 100 }, (_, tried) => ask('guesser', tried));
    await new Promise((done) => setImmediate(done));
    const other = ask('other', 0);
    const outcomes = await Promise.allSettled(guesses);
    await other;
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(refused.length).toBeGreaterThanOrEqual(100 - 2 - 16);
    for (const outcome of refused)
      expect(outcome).toMatchObject({ reason: { kind: 'TOO_MANY_REQUESTS' } });
    expect(counts).toMatchObject({ begun: 101, right: 0, undecided: refused.length });
    // The check waits for those that were running when it came, and for one that waited. The system
    // decides which of two ends first.
    expect(order).toHaveLength(101 - refused.length);
    expect(order.indexOf('other')).toBeLessThan(order.length / 2);
  }, 60_000);
});
