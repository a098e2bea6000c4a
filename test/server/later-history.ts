import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, Call, Client } from './client.js';

type Person = Readonly<{ email: string; password: string }>;

const person = (name: string): Person => ({
  email: `${name}@example.com`,
  password: 'Secret-99',
});
const FAY = person('fay');
const CEM = person('cem');
const DAN = person('dan');
const EVE = person('eve');
const CHANGED = { ...CEM, password: 'Other-Secret-99' };
/** The console's own page sends this header. */
const OURS = { 'x-millrace-console': '1' };

/**
 * Makes what the histories of releases before 0.3.0 lack: invitations, sessions, changes of people,
 * organizations and streams, refused commands, and columns with the types of files.
 */
export async function makeLaterHistory(client: Client): Promise<void> {
  const ask = async (path: string, by?: Person, body?: unknown, more: Call = {}, status = 200) => {
    const answer = await client.call(`/api/${path}`, {
      ...more,
      ...(by ? { credentials: by } : {}),
      ...(body === undefined ? {} : { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
    });
    if (answer.status !== status)
      throw new Error(`${path}: ${answer.status} ${answer.bytes.toString()}`);
    return answer;
  };
  const put = (path: string, by: Person, body: unknown): Promise<Answer> =>
    ask(path, by, body, { method: 'PUT' });
  const drop = (path: string, by: Person, body?: unknown): Promise<Answer> =>
    ask(path, by, body, { method: 'DELETE' });

  for (const each of [FAY, CEM, DAN, EVE]) {
    const profile = { first_name: each.email, last_name: 'Ünal', role: 'viewer' };
    await ask('default/users', undefined, { ...each, ...profile });
  }
  for (const name of ['bco', 'gone-co'])
    await ask(`${name}/users/${FAY.email}`, undefined, { role: 'admin' });
  for (const { email } of [CEM, DAN, EVE]) await ask(`bco/users/${email}`, FAY, { role: 'editor' });
  await ask('invitations/bco/accept', CEM, undefined, { method: 'POST' });
  await ask('invitations/bco/decline', DAN, undefined, { method: 'POST' });
  await drop(`bco/invitations/${EVE.email}`, FAY);
  await put(`bco/users/${CEM.email}`, FAY, { role: 'admin' });
  await put(`bco/users/${CEM.email}`, CEM, { first_name: 'Cem' });
  const passwords = { old_password: CEM.password, new_password: CHANGED.password };
  await put(`bco/users/${CEM.email}`, CEM, passwords);
  await ask('bco/streams', CEM, undefined, {}, 401);
  await put('bco/rename', FAY, { new_name: 'Bee & Company' });
  await drop('gone-co', FAY, { name: 'gone-co' });

  await ask('bco/tokens', FAY, { name: 'ended', role: 'viewer' });
  await drop('bco/tokens/ended', FAY);
  const signedIn = await ask('auth/sign-in', undefined, FAY, {
    credentials: 'none',
    headers: OURS,
  });
  const cookie = signedIn.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
  const headers = { ...OURS, cookie };
  await ask('auth/sign-out', undefined, undefined, {
    ...{ method: 'POST', credentials: 'none', headers },
  });

  const fixtures = join(import.meta.dirname, '../fixtures');
  const file = (name: string): Buffer => readFileSync(join(fixtures, name));
  await ask('bco/nested/_parquet?wait=true', FAY, file('arrow/nested.parquet'));
  await ask('bco/typed/_arrow?wait=true', FAY, file('arrow/typed.arrow'));
  await put('bco/streams/nested/settings', FAY, { data_retention: 3650 });
  await ask('bco/users', DAN, { ...EVE, first_name: 'E', last_name: 'F', role: 'admin' }, {}, 403);
}

/** Asks about it. The answers depend neither on the day nor on who asked before. */
export async function askLaterHistory(client: Client): Promise<unknown> {
  const get = async (path: string, body?: string, by = FAY): Promise<string> => {
    const answer = await client.call(`/api/${path}`, {
      credentials: by,
      headers: { accept: body === undefined ? '*/*' : 'application/x-ndjson' },
      ...(body === undefined ? {} : { body }),
    });
    if (answer.status !== 200)
      throw new Error(`${path}: ${answer.status} ${answer.bytes.toString()}`);
    return answer.bytes.toString();
  };
  const data = async (path: string, by?: Person): Promise<unknown> =>
    (JSON.parse(await get(path, undefined, by)) as { data?: unknown }).data;
  // The rows stay text: their numbers have more digits than JavaScript's. No order of structs is
  // defined.
  const rows = async (stream: string): Promise<string[]> =>
    (await get('bco/sql', `SELECT * EXCEPT (_timestamp) FROM ${stream}`)).split('\n').sort();
  const schema = async (stream: string): Promise<unknown> =>
    (JSON.parse(await get(`bco/${stream}/schema`)) as { schema?: unknown }).schema;
  return {
    members: await data('bco/users'),
    organizations: await data('organizations', CHANGED),
    tokens: await data('bco/tokens'),
    rows: [await rows('nested'), await rows('typed')],
    schemas: [await schema('nested'), await schema('typed')],
    settings: (JSON.parse(await get('bco/nested/schema')) as { settings?: unknown }).settings,
    trail: await get('bco/sql', 'SELECT * EXCEPT hash FROM _audit ORDER BY position LIMIT 16'),
  };
}
