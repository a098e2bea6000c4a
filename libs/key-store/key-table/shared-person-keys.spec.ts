import { randomBytes } from 'node:crypto';
import { ServerKey } from '../server-key.js';
import { SharedPersonKeys, type KeyTable } from './shared-person-keys.js';

/** A server's table, as processes see it. */
class Table implements KeyTable {
  rows: { readonly personId: string; readonly wrapped: string }[] = [];

  wrappedKeys(personId?: string) {
    const found = this.rows.filter((row) => personId === undefined || row.personId === personId);
    return Promise.resolve(found);
  }

  addWrappedKey(key: { readonly personId: string; readonly wrapped: string }) {
    this.rows.push(key);
    return Promise.resolve();
  }

  dropWrappedKeys(personId: string, but: readonly string[] = []) {
    this.rows = this.rows.filter((row) => row.personId !== personId || but.includes(row.wrapped));
    return Promise.resolve();
  }
}

describe('keys that processes share', () => {
  const secret = randomBytes(32);
  const serverKey = new ServerKey(secret);
  let table: Table;
  let [a, b] = [] as unknown as [SharedPersonKeys, SharedPersonKeys];
  beforeEach(async () => {
    table = new Table();
    [a, b] = [await SharedPersonKeys.open(table, serverKey), await SharedPersonKeys.open(table, serverKey)]; // prettier-ignore
  });
  const hex = (key: Uint8Array) => Buffer.from(key).toString('hex');
  const same = (key: Uint8Array) => (other: Uint8Array) => Buffer.from(key).equals(other);

  it('are known to the other once it learns of the person, and to who comes later', async () => {
    const key = await a.create('ANN');
    expect([b.find('ANN'), await a.create('ANN')]).toEqual([[], key]);
    await b.learn('ANN', same(key));
    expect(b.find('ANN')).toEqual([key]);
    expect((await SharedPersonKeys.open(table, serverKey)).find('ANN')).toEqual([key]);
    expect(JSON.stringify(table.rows)).not.toContain(Buffer.from(key).toString('base64'));
  });

  it('made by both at once are settled by what is theirs: all end with that one', async () => {
    const [first, second] = await Promise.all([a.create('ANN'), b.create('ANN')]);
    expect(first).not.toEqual(second);
    for (const keys of [a, b]) await keys.learn('ANN', same(second));
    const fresh = await SharedPersonKeys.open(table, serverKey);
    for (const keys of [a, b, fresh]) expect(keys.find('ANN')).toEqual([second]);
  });

  it('are wrapped anew with a key that has changed; also two of one person of which none is settled', async () => {
    const ann = await a.create('ANN');
    const [one, other] = await Promise.all([a.create('BEN'), b.create('BEN')]);
    const next = new ServerKey(randomBytes(32));
    next.knowFormer([{ secret, until: 1n }]);
    const keys = await SharedPersonKeys.open(table, next);
    const before = new Map(table.rows.map(({ personId, wrapped }) => [wrapped, personId]));
    expect([await keys.rewrap(), await keys.rewrap()]).toEqual([2, 2]);
    const fresh = await SharedPersonKeys.open(table, next);
    expect(fresh.find('ANN')).toEqual([ann]);
    expect(fresh.find('BEN').map(hex).sort()).toEqual([one, other].map(hex).sort());
    expect(table.rows.filter(({ wrapped }) => before.has(wrapped))).toEqual([]);
    await fresh.learn('BEN', same(other));
    expect([await fresh.rewrap(), table.rows.length]).toEqual([2, 2]);
    expect(fresh.find('BEN')).toEqual([other]);
  });

  it('that another server has wrapped stay as they are when the others are wrapped anew', async () => {
    const key = await a.create('ANN');
    const foreign = { personId: 'ANN', wrapped: new ServerKey(randomBytes(32)).seal('person-key', 'AA==', 'ANN') }; // prettier-ignore
    await b.create('BEN');
    table.rows.push(foreign);
    const keys = await SharedPersonKeys.open(table, serverKey);
    expect(await keys.rewrap()).toBe(2);
    expect(table.rows).toContainEqual(foreign);
    expect(table.rows).toHaveLength(3);
    table.rows = table.rows.filter((row) => row !== foreign);
    expect((await SharedPersonKeys.open(table, serverKey)).find('ANN')).toEqual([key]);
  });

  it('asked for twice at once are made once', async () => {
    const [first, second] = await Promise.all([a.create('ANN'), a.create('ANN')]);
    expect([second, table.rows.length]).toEqual([first, 1]);
  });

  it('that are both in use stay both', async () => {
    const [first, second] = await Promise.all([a.create('ANN'), b.create('ANN')]);
    const fresh = await SharedPersonKeys.open(table, serverKey);
    await fresh.learn('ANN', (key) => same(first)(key) || same(second)(key));
    expect(fresh.find('ANN')).toEqual([first, second]);
    expect(table.rows).toHaveLength(2);
  });

  it('are gone for all who open them later, and here at once', async () => {
    const key = await a.create('ANN');
    await b.learn('ANN', same(key));
    await a.drop('ANN');
    expect([a.find('ANN'), table.rows]).toEqual([[], []]);
    await b.drop('ANN');
    expect(b.find('ANN')).toEqual([]);
  });

  it('take over what a process had for itself, once', async () => {
    const own = new Uint8Array(randomBytes(32));
    await a.adopt('ANN', own);
    await a.adopt('ANN', own);
    expect([a.find('ANN').map(hex), table.rows.length]).toEqual([[hex(own)], 1]);
  });

  it('take it over beside another: the one in use is not lost', async () => {
    await a.create('ANN');
    const own = new Uint8Array(randomBytes(32));
    await a.adopt('ANN', own);
    await a.learn('ANN', same(own));
    const fresh = await SharedPersonKeys.open(table, serverKey);
    for (const keys of [a, fresh]) expect(keys.find('ANN').map(hex)).toEqual([hex(own)]);
  });

  it('of another server are refused, with what to do', async () => {
    await a.create('ANN');
    const other = SharedPersonKeys.open(table, new ServerKey(randomBytes(32)));
    await expect(other).rejects.toThrow(/same MILLRACE_SECRET_KEY/);
  });
});
