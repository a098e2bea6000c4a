import { randomBytes } from 'node:crypto';
import { ServerKey, type PersonKeys } from '@app/key-store';

export interface PersonKeysUnderTest {
  /** Opens the keys that are there, as another start of the process does. */
  open(serverKey: ServerKey): Promise<PersonKeys>;
  /** Removes all keys. */
  clear(): Promise<void>;
  dispose(): Promise<void>;
}

/** Every adapter of PersonKeys must pass this. */
export function personKeysContract(
  name: string,
  prepare: () => Promise<PersonKeysUnderTest>,
): void {
  describe(`keys of people: ${name}`, () => {
    const secret = randomBytes(32);
    const serverKey = new ServerKey(secret);
    let place: PersonKeysUnderTest;
    let keys: PersonKeys;
    beforeAll(async () => {
      place = await prepare();
    });
    afterAll(() => place.dispose());
    beforeEach(async () => {
      keys = await place.open(serverKey);
    });
    afterEach(() => place.clear());

    it('are made once for a person, also when asked for twice at the same time', async () => {
      const [one, other] = await Promise.all([keys.create('ANN'), keys.create('ANN')]);
      expect(one).toHaveLength(32);
      expect([other, await keys.create('ANN')]).toEqual([one, one]);
      expect(await keys.create('BEN')).not.toEqual(one);
      expect([keys.find('ANN'), keys.find('CLEO')]).toEqual([[one], []]);
    });

    it('are there when they are opened later', async () => {
      const key = await keys.create('ANN');
      expect((await place.open(serverKey)).find('ANN')).toEqual([key]);
    });

    it('that open what is theirs stay when a process learns of the person', async () => {
      const key = await keys.create('ANN');
      const later = await place.open(serverKey);
      await later.learn('ANN', (each) => Buffer.from(each).equals(key));
      await later.learn('CLEO', () => false);
      expect([later.find('ANN'), later.find('CLEO')]).toEqual([[key], []]);
    });

    it('are gone for good when dropped, and those of others are not', async () => {
      const [ann, ben] = [await keys.create('ANN'), await keys.create('BEN')];
      await keys.drop('ANN');
      await keys.drop('ANN');
      const later = await place.open(serverKey);
      for (const each of [keys, later])
        expect([each.find('ANN'), each.find('BEN')]).toEqual([[], [ben]]);
      expect(await later.create('ANN')).not.toEqual(ann);
    });

    it('are not opened with another server key', async () => {
      await keys.create('ANN');
      const open = async () => (await place.open(new ServerKey(randomBytes(32)))).find('ANN');
      await expect(open()).rejects.toThrow(/another (?:secret|server) key/);
    });

    it('are the same when the server’s key has changed, and need the former one no more', async () => {
      const [ann, ben] = [await keys.create('ANN'), await keys.create('BEN')];
      const nextSecret = randomBytes(32);
      const next = new ServerKey(nextSecret);
      next.knowFormer([{ secret, until: 1n }]);
      expect(await (await place.open(next)).rewrap()).toBe(2);
      const later = await place.open(new ServerKey(nextSecret));
      expect([later.find('ANN'), later.find('BEN')]).toEqual([[ann], [ben]]);
    });
  });
}
