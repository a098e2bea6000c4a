import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, Call, Client } from './client.js';

/** Ann and Ben act in the history of a data directory; the answers about it are kept too. */
export const ANN = { email: 'ann@example.com', password: 'Secret-77' };
const BEN = { email: 'ben@example.com', password: 'Secret-88' };
const EXACT = 'SELECT * EXCEPT (_timestamp) FROM exact ORDER BY ALL';
const FAR_AWAY = 4_102_444_800_000_000;

const json = (value: unknown, more: Call = {}): Call => ({
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' },
  ...more,
});

/** Makes a bit of everything that is kept: people, organizations, streams of all kinds, rows. @returns a token's secret */
export async function makeHistory(client: Client): Promise<string> {
  const ask = async (path: string, call?: Call): Promise<Answer> => {
    const answer = await client.call(`/api/${path}`, call);
    if (answer.status !== 200)
      throw new Error(`${path}: ${answer.status} ${answer.bytes.toString()}`);
    return answer;
  };
  for (const [name, person] of Object.entries({ Ann: ANN, Ben: BEN }))
    await ask(
      'default/users',
      json({ ...person, first_name: name, last_name: 'Ünal', role: 'admin' }),
    );
  await ask(`acme/users/${ANN.email}`, json({ role: 'admin' }));
  const asAnn = { credentials: ANN };
  await ask(
    'acme/orders/settings',
    json({ columns: { shipped: 'Date32', paid: 'Timestamp', price: 'Decimal128(15, 2)' } }, asAnn),
  );
  const orders = [
    { shipped: '2026-03-01', paid: '2026-03-01T10:00:00Z', price: '12.34', n: 1 },
    { shipped: null, price: '0.01', n: 2, items: [1, 2], note: 'später' },
    { n: 'three' },
  ].map((order, index) => ({ _timestamp: 1_770_000_000_000_000 + index, ...order }));
  await ask('acme/orders/_json?wait=true', json(orders, asAnn));
  const token = await ask(
    'acme/tokens',
    json({ name: 'shipper', role: 'editor', expires_at: FAR_AWAY }, asAnn),
  );
  const logs = Array.from({ length: 100 }, (_, n) => ({
    _timestamp: 1_760_000_000_000_000 + n,
    ...{ n, text: `line ${n}`, ok: n % 2 === 0, ratio: n / 8 },
    ...{ nested: { at: { depth: n, list: ['a', `${n}`] } }, tags: ['x', 'y'] },
  }));
  await client.upload('logs', logs);
  await client.uploadTo('sheet/_csv', 'name,amount\nfirst,1\nsecond,2.5\n');
  const exact = readFileSync(join(import.meta.dirname, '../fixtures/parquet/exact.parquet'));
  await client.uploadTo('exact/_parquet', exact);
  await client.upload('gone', [{ a: 1 }]);
  await ask('default/streams/gone', { method: 'DELETE' });
  // Ben is erased, so that nobody learns any more who he was.
  await ask(`default/users/${BEN.email}?erase=true`, { method: 'DELETE' });
  return token.json<{ data: { token: string } }>().data.token;
}

/** Asks about a release's data. The answers depend neither on the day nor on who asked before. */
export async function askHistory(client: Client, token: string): Promise<unknown> {
  const get = async (path: string, call?: Call): Promise<Answer> => {
    const answer = await client.call(`/api/${path}`, call);
    if (answer.status !== 200)
      throw new Error(`${path}: ${answer.status} ${answer.bytes.toString()}`);
    return answer;
  };
  const data = async (path: string, call?: Call): Promise<unknown> =>
    (await get(path, call)).json<{ data?: unknown }>().data;
  const rows = async (path: string, statement: string, call: Call = {}): Promise<unknown> =>
    (await get(`${path}/sql`, { ...call, body: statement })).json();
  const columns = async (path: string, call?: Call): Promise<unknown> => {
    const { schema, settings } = (await get(path, call)).json<Record<string, unknown>>();
    return { schema, settings };
  };
  const bearer: Call = { credentials: 'none', headers: { authorization: `Bearer ${token}` } };
  const trail = 'SELECT * FROM _audit ORDER BY position LIMIT';
  return {
    logs: await rows('default', 'SELECT * FROM logs ORDER BY n'),
    sheet: await rows('default', 'SELECT name, amount FROM sheet ORDER BY amount'),
    // This answer stays text: its numbers have more digits than JavaScript's.
    exact: (await get('default/sql', { body: EXACT })).bytes.toString(),
    orders: await rows('acme', 'SELECT * FROM orders ORDER BY n', { credentials: ANN }),
    asToken: await rows('acme', 'SELECT count() AS n FROM orders', bearer),
    people: await data('default/users'),
    members: await data('acme/users', { credentials: ANN }),
    passcode: await data('acme/passcode', { credentials: ANN }),
    tokens: await data('acme/tokens', { credentials: ANN }),
    schema: await columns('default/logs/schema'),
    declared: await columns('acme/orders/schema', { credentials: ANN }),
    audit: await rows('default', `${trail} 12`),
    auditOfAcme: await rows('acme', `${trail} 4`, { credentials: ANN }),
  };
}
