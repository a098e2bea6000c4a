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
import { VerifiedCredentials } from './verified-credentials.js';

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
  let directory: string;
  let people: PersonalData;
  let users: UsersProjection;
  let credentials: VerifiedCredentials;

  const changePassword = async (password: string): Promise<RecordedEvent> => {
    const credential = people.sealCredential('1', await hashPassword(password));
    return recorded('1', { type: 'PasswordChanged', data: { id: '1', credential } });
  };

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-credentials-'));
    const serverKey = new ServerKey(randomBytes(32));
    people = new PersonalData(serverKey, new EmbeddedPersonKeys(directory, serverKey));
    users = new UsersProjection(people);
    const profile = people.sealProfile('1', { email: EMAIL, firstName: '', lastName: '' });
    const credential = people.sealCredential('1', await hashPassword(PASSWORD));
    const data = { id: '1', emailHash: people.emailHash(EMAIL), profile, credential, root: false };
    users.apply(recorded('1', { type: 'UserRegistered', data }));
    credentials = new VerifiedCredentials(users, people);
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  afterEach(() => jest.restoreAllMocks());

  it('knows the right password, whatever the case of the e-mail, and no other', async () => {
    expect(await credentials.check(EMAIL, PASSWORD)).toMatchObject({ id: '1' });
    expect(await credentials.check('Ann@Example.com', PASSWORD)).toMatchObject({ id: '1' });
    expect(await credentials.check(EMAIL, 'secret-77')).toBeUndefined();
    expect(await credentials.check('bob@example.com', PASSWORD)).toBeUndefined();
  });

  it('answers at once what was right a moment ago, and never what was wrong', async () => {
    expect(credentials.check(EMAIL, PASSWORD)).toBeInstanceOf(Promise);
    await credentials.check(EMAIL, PASSWORD);
    expect(credentials.check(EMAIL, PASSWORD)).toEqual(users.byId('1'));
    await credentials.check(EMAIL, 'wrong');
    const again = credentials.check(EMAIL, 'wrong');
    expect(again).toBeInstanceOf(Promise);
    await again;
  });

  it('does not take one pair for another with the same letters', async () => {
    await credentials.check(EMAIL, PASSWORD);
    expect(await credentials.check(`${EMAIL}S`, 'ecret-77')).toBeUndefined();
  });

  it('asks the same question once, however many ask at the same time', async () => {
    const asked = Array.from({ length: 64 }, () => credentials.check(EMAIL, PASSWORD));
    expect(new Set(asked).size).toBe(1);
    await asked[0];
  });

  it('checks again after a while', async () => {
    await credentials.check(EMAIL, PASSWORD);
    const later = Date.now() + SIX_MINUTES_MS;
    jest.spyOn(Date, 'now').mockReturnValue(later);
    const again = credentials.check(EMAIL, PASSWORD);
    expect(again).toBeInstanceOf(Promise);
    expect(await again).toMatchObject({ id: '1' });
  });

  it('forgets a password the moment it is changed', async () => {
    await credentials.check(EMAIL, PASSWORD);
    users.apply(await changePassword('Other-777'));
    expect(await credentials.check(EMAIL, PASSWORD)).toBeUndefined();
    expect(await credentials.check(EMAIL, 'Other-777')).toMatchObject({ id: '1' });
  });

  it('refuses a password that is changed while it is checked', async () => {
    const changed = await changePassword('Other-777');
    const asked = credentials.check(EMAIL, PASSWORD);
    users.apply(changed);
    expect(await asked).toBeUndefined();
    expect(await credentials.check(EMAIL, PASSWORD)).toBeUndefined();
  });

  it('takes as long for an account that does not exist', async () => {
    const time = async (email: string, password: string): Promise<number> => {
      const start = performance.now();
      await credentials.check(email, password);
      return performance.now() - start;
    };
    // In turn, and the shortest of each: what else the machine does must not decide.
    let [known, unknown] = [Infinity, Infinity];
    for (let run = 0; run < 8; run += 1) {
      known = Math.min(known, await time(EMAIL, `wrong ${run}`));
      unknown = Math.min(unknown, await time('bob@example.com', `wrong ${run}`));
    }
    expect(unknown).toBeGreaterThan(known / 2);
    expect(unknown).toBeLessThan(known * 2);
  });

  it('refuses more guesses than it can check, and still answers who is known', async () => {
    await credentials.check(EMAIL, PASSWORD);
    const guesses: unknown[] = [];
    const guess = (): void => {
      for (let tried = 0; tried < 1000; tried += 1)
        guesses.push(credentials.check(EMAIL, `guess ${tried}`));
    };
    await credentials.check('bob@example.com', 'so that the answer for nobody is there');
    expect(guess).toThrow(expect.objectContaining({ kind: 'TOO_MANY_REQUESTS' }) as Error);
    expect(guesses.length).toBeLessThanOrEqual(202);
    expect(credentials.check(EMAIL, PASSWORD)).toEqual(users.byId('1'));
    expect(new Set(await Promise.all(guesses))).toEqual(new Set([undefined]));
    expect(await credentials.check(EMAIL, 'after the flood')).toBeUndefined();
  }, 60_000);
});
