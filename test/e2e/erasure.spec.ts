import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RecordedEvent } from '@app/event-store';
import { environment } from '../../bin/prepare.mjs';
import { openEmbeddedEventStore } from '../../libs/event-store/embedded/embedded-event-store.js';
import type { Answer } from '../server/client.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

const VERIFY = join(import.meta.dirname, '../../dist/apps/api/audit-verify.js');
const PASSWORD = 'Secret-77';
/** Old parts of `_audit` go by the engine's own clock. */
const GONE_WITHIN_MS = 120_000;

interface Hit {
  readonly type: string;
  readonly actor: string;
  readonly subject: string;
  readonly address: string;
}

/** Looks at a file that may disappear meanwhile; then it gives undefined. */
function unlessGone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Files that hold these bytes. */
function filesBelow(directory: string, needle: Buffer): string[] {
  const entries = unlessGone(() => readdirSync(directory, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return filesBelow(path, needle);
    const found = entry.isFile() && unlessGone(() => readFileSync(path))?.includes(needle);
    return found === true ? [path] : [];
  });
}

describe('erasing a person', () => {
  let dataDirectory: string;
  let server: Server;

  const as = (
    { email, password }: { email: string; password: string },
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer> =>
    server.client.call(path, {
      method,
      credentials: { email, password },
      headers: { 'content-type': 'application/json', 'user-agent': `agent of ${email}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const person = (name: string) => ({ email: `${name}@example.com`, password: PASSWORD });
  const add = async (name: string, role = 'admin'): Promise<void> => {
    const body = { ...person(name), first_name: `First${name}`, last_name: `Last${name}`, role };
    expect((await as(ROOT, 'POST', '/api/default/users', body)).status).toBe(200);
  };
  const audit = async (): Promise<Hit[]> =>
    (await as(ROOT, 'GET', '/api/default/audit?size=1000')).json<{ hits: Hit[] }>().hits;
  /** Everything that any caller can learn about any person. */
  const found = async (what: RegExp): Promise<string | undefined> => {
    const answers = [
      await as(ROOT, 'GET', '/api/default/users'),
      await as(ROOT, 'GET', '/api/default/audit?size=1000'),
      await as(ROOT, 'GET', '/api/default/summary'),
    ];
    const rows = await server.client.sql('SELECT * FROM _audit');
    const all = answers.map(({ bytes }) => bytes.toString()).join('\n') + JSON.stringify(rows);
    return what.exec(all)?.[0];
  };
  const restart = async (between: () => unknown = () => undefined): Promise<void> => {
    await server.stop();
    await between();
    server = await startServer({ dataDirectory });
  };
  const filesWith = (needle: Buffer): string[] => filesBelow(dataDirectory, needle);
  const verify = async (): Promise<string> => {
    let printed = '';
    await restart(async () => {
      const env = { ...environment(), MILLRACE_DATA_DIR: dataDirectory };
      printed = (await promisify(execFile)(process.execPath, [VERIFY], { env })).stdout;
    });
    return printed;
  };
  const events = async (): Promise<RecordedEvent[]> => {
    const all: RecordedEvent[] = [];
    await restart(async () => {
      const store = openEmbeddedEventStore({ directory: join(dataDirectory, 'events') });
      for await (const event of store.readAll()) all.push(event);
      await store.close();
    });
    return all;
  };

  beforeAll(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-'));
    server = await startServer({ dataDirectory });
    await add('boss');
  });
  afterAll(async () => {
    await server.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  it('happens with the last membership, and not before', async () => {
    await add('ann');
    const ann = '/api/default/users/ann@example.com';
    expect(
      (await as(ROOT, 'POST', '/api/acme/users/ann@example.com', { role: 'admin' })).status,
    ).toBe(200);
    // ann's actions leave traces of her: as actor, as subject, with address and agent
    expect((await as(person('ann'), 'PUT', ann, { first_name: 'Annabella' })).status).toBe(200);
    expect(
      (await as({ ...person('ann'), password: 'Wrong-1-Wrong' }, 'GET', '/api/default/streams'))
        .status,
    ).toBe(401);
    expect((await as(person('ann'), 'DELETE', `/api/default/users/${ROOT.email}`)).status).toBe(
      403,
    );
    expect((await as(ROOT, 'DELETE', ann)).status).toBe(200);
    expect(await found(/ann@example\.com/)).toBeDefined();
    expect((await as(person('ann'), 'GET', '/api/acme/streams')).status).toBe(200);

    const before = await events();
    const keys = readdirSync(join(dataDirectory, 'person-keys')).length;
    // the last admin of acme does not go by herself; root may remove her
    expect((await as(person('ann'), 'DELETE', '/api/acme/users/ann@example.com')).status).toBe(403);
    expect((await as(ROOT, 'DELETE', '/api/acme/users/ann@example.com?erase=true')).status).toBe(
      200,
    );
    const credentials = person('ann');
    expect((await server.client.call('/api/acme/streams', { credentials })).status).toBe(401);
    expect(readdirSync(join(dataDirectory, 'person-keys'))).toHaveLength(keys - 1);
    const after = await events();
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length).map(({ type }) => type)).toContain('UserErased');
  });

  it('takes e-mail, names and addresses out of every answer, for good', async () => {
    await add('ben', 'member');
    expect((await as(person('ben'), 'POST', '/api/default/logs/_json', { a: 1 })).status).toBe(200);
    expect((await as(person('ben'), 'GET', '/api/default/users')).status).toBe(403);
    const trail = (await audit()).length;
    expect((await as(ROOT, 'DELETE', '/api/default/users/ben@example.com')).status).toBe(200);
    const traces = /ben@|ann@|Firstben|Lastben|Annabella|Firstann/;
    expect(await found(traces)).toBeUndefined();
    expect((await audit()).length).toBeGreaterThan(trail);
    await restart();
    expect(await found(traces)).toBeUndefined();
    await restart(() => rmSync(join(dataDirectory, 'snapshots'), { recursive: true, force: true }));
    expect(await found(traces)).toBeUndefined();
    const byThem = (await audit()).filter(({ type }) => type === 'UserErased');
    expect(byThem.map(({ subject }) => subject)).toEqual(byThem.map(() => ''));
    expect(await server.client.count('logs')).toBe(1);
  });

  it('takes the e-mail’s bytes out of every file, before long', async () => {
    await add('zacharias-of-the-bytes', 'member');
    const needle = Buffer.from('zacharias-of-the-bytes@example.com');
    // The audit's projection writes the rows after the answer.
    await until(() => Promise.resolve(filesWith(needle).length > 0));
    const path = `/api/default/users/${needle.toString()}`;
    expect((await as(ROOT, 'DELETE', path)).status).toBe(200);
    await until(() => Promise.resolve(filesWith(needle).length === 0), GONE_WITHIN_MS);
  }, 150_000);

  it('leaves the audit trail as it was: it still verifies', async () => {
    const printed = await verify();
    expect(printed).toMatch(/default: \d+ entries, intact/);
    expect(printed).not.toMatch(/NOT INTACT/);
  });

  it('lets the same e-mail come again, as somebody else', async () => {
    await add('ann', 'viewer');
    expect((await as(person('ann'), 'GET', '/api/default/streams')).status).toBe(200);
    expect((await as(person('ann'), 'GET', '/api/acme/streams')).status).toBe(403);
    await restart(() => rmSync(join(dataDirectory, 'snapshots'), { recursive: true, force: true }));
    expect((await as(person('ann'), 'GET', '/api/default/streams')).status).toBe(200);
    expect((await as(person('ann'), 'POST', '/api/default/logs/_json', { a: 1 })).status).toBe(403);
    const { length } = (await audit()).filter(({ subject, actor }) =>
      `${subject} ${actor}`.includes('ann@'),
    );
    // Registered, added, and refused twice: none of it is from before the erasure.
    expect(length).toBeLessThan(5);
    expect(await verify()).not.toMatch(/NOT INTACT/);
  });

  it('is for root alone beyond an own organization, and tells who is not there', async () => {
    await add('cleo');
    await add('dirk', 'viewer');
    const dirk = '/api/default/users/dirk@example.com';
    expect((await as(person('cleo'), 'DELETE', `${dirk}?erase=true`)).status).toBe(403);
    expect((await as(person('dirk'), 'GET', '/api/default/streams')).status).toBe(200);
    expect(
      (await as(ROOT, 'DELETE', `/api/default/users/nobody@example.com?erase=true`)).status,
    ).toBe(404);
    expect((await as(person('cleo'), 'DELETE', dirk)).status).toBe(200);
    expect((await as(person('cleo'), 'DELETE', dirk)).status).toBe(404);
    expect(existsSync(join(dataDirectory, 'person-keys'))).toBe(true);
  });
});
