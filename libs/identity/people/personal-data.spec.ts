import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { PersonKeys, ServerKey } from '@app/key-store';
import { EmbeddedPersonKeys } from '@app/key-store/embedded';
import { PersonalData } from './personal-data.js';

describe('personal data', () => {
  const serverKey = new ServerKey(randomBytes(32));
  let directory: string;
  let people: PersonalData;
  const open = () => new PersonalData(serverKey, new EmbeddedPersonKeys(directory, serverKey));
  const profile = { email: 'ann@example.com', firstName: 'Ann', lastName: 'Lee' };
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-people-'));
    people = open();
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('is sealed, and opens again for the same person', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), async (firstName, lastName) => {
        const given = { email: 'ann@example.com', firstName, lastName };
        const sealed = await people.sealProfile('ANN', given);
        expect(sealed).not.toContain('ann@');
        expect(people.profile({ id: 'ANN', profile: sealed })).toEqual(given);
        expect(open().profile({ id: 'ANN', profile: sealed })).toEqual(given);
      }),
      { numRuns: 30 },
    );
  });

  it('of a new account is sealed with one key, whatever other process makes one meanwhile', async () => {
    const files = new EmbeddedPersonKeys(directory, serverKey);
    let made = 0;
    /** Each call acts as another process, like two that register the same person at once. */
    class Racing extends PersonKeys {
      create = () => files.create(made++ === 0 ? 'FIRST' : 'SECOND');
      find = () => [...files.find('FIRST'), ...files.find('SECOND')];
      learn = () => Promise.resolve();
      drop = () => Promise.resolve();
      rewrap = () => Promise.resolve(0);
    }
    const account = { profile, passwordHash: '$argon2id$x' };
    const racing = new PersonalData(serverKey, new Racing());
    const { credential, ...sealed } = await racing.sealAccount('ANN', account);
    await files.drop('SECOND');
    expect(racing.profile({ id: 'ANN', ...sealed })).toEqual(profile);
    expect(racing.credential({ id: 'ANN', credential })).toBe('$argon2id$x');
  });

  it('opens for nobody else, and in no other place', async () => {
    const sealed = await people.sealProfile('ANN', profile);
    await people.sealProfile('BEN', profile);
    const fresh = open();
    expect(() => fresh.profile({ id: 'BEN', profile: sealed })).toThrow();
    expect(() => fresh.credential({ id: 'ANN', credential: sealed })).toThrow();
  });

  it('is gone with the person, from memory too', async () => {
    const sealed = await people.sealProfile('ANN', profile);
    const credential = await people.sealCredential('ANN', '$argon2id$x');
    const client = people.seal('ANN', { address: '203.0.113.7' });
    expect(people.profile({ id: 'ANN', profile: sealed })).toEqual(profile);
    expect(people.client('ANN', client)).toEqual({ address: '203.0.113.7' });
    await people.erase('ANN');
    for (const each of [people, open()]) {
      expect(each.profile({ id: 'ANN', profile: sealed })).toBeUndefined();
      expect(each.credential({ id: 'ANN', credential })).toBeUndefined();
      expect(each.client('ANN', client)).toBeUndefined();
    }
  });

  it('says what is missing when the keys are others than those it was sealed with', async () => {
    const sealed = await people.sealProfile('ANN', profile);
    rmSync(directory, { recursive: true });
    const lost = open();
    expect(lost.profile({ id: 'ANN', profile: sealed })).toBeUndefined();
    await lost.sealCredential('ANN', '$argon2id$x');
    expect(() => lost.profile({ id: 'ANN', profile: sealed })).toThrow(
      /person-keys.*missing or of another data directory.*same backup as the events/,
    );
  });

  it('of who has no account is sealed with the server’s key', () => {
    const client = people.seal('anonymous', { address: '203.0.113.7', userAgent: 'curl' });
    expect(client).not.toContain('203');
    expect(open().client('anonymous', client)).toEqual({
      address: '203.0.113.7',
      userAgent: 'curl',
    });
    expect(people.client('system', client)).toBeUndefined();
  });

  it('has the same fingerprint for an e-mail in any case, and another for every server', () => {
    expect(people.emailHash('ANN@Example.com')).toBe(people.emailHash('ann@example.com'));
    expect(people.emailHash('ben@example.com')).not.toBe(people.emailHash('ann@example.com'));
    const other = new ServerKey(randomBytes(32));
    const elsewhere = new PersonalData(other, new EmbeddedPersonKeys(directory, other));
    expect(elsewhere.emailHash('ann@example.com')).not.toBe(people.emailHash('ann@example.com'));
  });
});
