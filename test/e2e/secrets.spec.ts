import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../server/client.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';
import { storedFiles } from '../server/stored-files.js';

interface Haystack {
  readonly place: string;
  readonly bytes: Buffer;
}

/** Lists each way in which a secret could stand somewhere. */
function needles(secret: string): Buffer[] {
  const bytes = Buffer.from(secret);
  return [
    bytes,
    Buffer.from(JSON.stringify(secret).slice(1, -1)),
    Buffer.from(encodeURIComponent(secret)),
    Buffer.from(bytes.toString('hex')),
    // in base64, at each of the three places that it can have among other bytes
    ...[0, 1, 2].map((shift) => {
      const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64');
      return Buffer.from(encoded.slice(shift === 0 ? 0 : 4, -4));
    }),
    createHash('sha256').update(secret).digest(),
    Buffer.from(createHash('sha256').update(secret).digest('hex')),
    Buffer.from(createHash('md5').update(secret).digest('hex')),
  ];
}

/** Lists the places where a secret can be found. */
const places = (haystacks: readonly Haystack[], secret: string): string[] =>
  haystacks
    .filter(({ bytes }) => needles(secret).some((needle) => bytes.includes(needle)))
    .map(({ place }) => place);

const files = (directory: string): Haystack[] =>
  storedFiles(directory).map(({ path, bytes }) => ({ place: `/${path}`, bytes }));

describe('nothing secret or personal is where it does not belong', () => {
  const variables = { MILLRACE_LOG_LEVEL: 'trace' };
  const password = {
    ann: 'Ann-Secret-4711',
    changed: 'Changed-Secret-42',
    wrong: 'Wrong-Secret-0815',
  };
  /** These stand in records: people put their own data there, and no log may have it. */
  const uploaded = ['Malformed-Content-31', 'Rejected-Content-32', 'Cut-Off-Content-33'];
  const personal = ['ann.lovelace@example.com', 'Annabella', 'Lovelacia'];
  const answers: Haystack[] = [];
  const logs: Haystack[] = [];
  const passcodes: string[] = [];
  let folder: string;
  let dataDirectory: string;
  let server: Server;

  async function call(
    name: string,
    method: string,
    path: string,
    body?: unknown,
    credentials: { email: string; password: string } = ROOT,
  ): Promise<Answer> {
    const answer = await server.client.call(path, {
      method,
      credentials,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    answers.push({ place: `${name}: ${method} ${path}`, bytes: answer.bytes });
    answers.push({
      place: `headers of ${name}: ${method} ${path}`,
      bytes: Buffer.from(JSON.stringify(answer.headers)),
    });
    return answer;
  }

  const [email = '', firstName = '', lastName = ''] = personal;
  const ann = { email, password: password.ann };

  /** Does the usual actions of a day, with mistakes. */
  async function life(): Promise<void> {
    const person = {
      email,
      first_name: firstName,
      last_name: lastName,
      password: password.ann,
      role: 'admin',
    };
    const at = `/api/default/users/${email}`;
    await call('a person comes', 'POST', '/api/default/users', person);
    await call('twice', 'POST', '/api/default/users', person);
    await call('with a role there is not', 'POST', '/api/default/users', {
      ...person,
      email: 'x@example.com',
      role: 'king',
    });
    await call('cut off', 'POST', '/api/default/users', JSON.stringify(person).slice(0, -4));
    await call('weak', 'POST', '/api/default/users', {
      ...person,
      password: password.wrong.toLowerCase(),
    });
    await call('a wrong password', 'GET', '/api/default/streams', undefined, {
      email,
      password: password.wrong,
    });
    await call('a password as e-mail', 'GET', '/api/default/streams', undefined, {
      email: password.ann,
      password: email,
    });
    await call('an upload', 'POST', '/api/default/logs/_json', [{ a: 1 }], ann);
    await call(
      'an upload that fails',
      'POST',
      '/api/default/logs/_json',
      `{"a":"${uploaded[0]}" "b":${email}}`,
      ann,
    );
    await call(
      'a rejected record',
      'POST',
      '/api/default/logs/_json?wait=true',
      [{ a: 2 }, { a: uploaded[1] }],
      ann,
    );
    await call('what is rejected', 'GET', '/api/default/logs/_rejected', undefined, ann);
    await call('a retry', 'POST', '/api/default/logs/_rejected/retry?wait=true', undefined, ann);
    await call(
      'a CSV that breaks off',
      'POST',
      '/api/default/logs/_csv',
      `a,b\n1,"${uploaded[2]}`,
      ann,
    );
    await call('a query', 'POST', '/api/default/sql', 'SELECT count() FROM logs', ann);
    await call('a bad query', 'POST', '/api/default/sql', 'SELECT nothing FROM logs', ann);
    await call(
      'an own password, wrong',
      'PUT',
      at,
      { old_password: password.wrong, new_password: password.changed },
      ann,
    );
    await call(
      'an own password',
      'PUT',
      at,
      { old_password: password.ann, new_password: password.changed },
      ann,
    );
    const changed = { email, password: password.changed };
    for (const method of ['GET', 'PUT']) {
      const answer = await server.client.call('/api/default/passcode', {
        method,
        credentials: changed,
      });
      passcodes.push(answer.json<{ data: { passcode: string } }>().data.passcode);
    }
    const [old = '', passcode = ''] = passcodes;
    await call('by passcode', 'POST', '/api/default/sql', 'SELECT 1', {
      email,
      password: passcode,
    });
    await call('by a passcode that is dead', 'POST', '/api/default/sql', 'SELECT 1', {
      email,
      password: old,
    });
    await call('a management call by passcode', 'GET', '/api/default/users', undefined, {
      email,
      password: passcode,
    });
  }

  /** Answers that are to show who people are: to admins, about their own organization. */
  const PERSONAL_ANSWER = /^(?:users|organizations|audit|audit by SQL):/;
  async function look(): Promise<void> {
    await call('users', 'GET', '/api/default/users');
    await call('organizations', 'GET', '/api/organizations');
    await call('audit', 'GET', '/api/default/audit?size=1000');
    await call('audit by SQL', 'POST', '/api/default/sql', 'SELECT * FROM _audit');
    await call('summary', 'GET', '/api/default/summary');
    await call('openapi', 'GET', '/openapi.json');
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-'));
    dataDirectory = join(folder, 'data');
    server = await startServer({ dataDirectory, variables });
    await life();
    await look();
    logs.push({ place: 'the first log', bytes: Buffer.from(server.output()) });
    await server.stop();
    logs.push({ place: 'the first log, to its end', bytes: Buffer.from(server.output()) });
    server = await startServer({ dataDirectory, variables });
    await look();
    await server.stop();
    logs.push({ place: 'the second log', bytes: Buffer.from(server.output()) });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has lived a life to search in', () => {
    const text = answers.map(({ bytes }) => bytes.toString()).join('\n');
    for (const event of [
      'UserRegistered',
      'PasswordChanged',
      'PasscodeRotated',
      'LoginFailed',
      'CommandRefused',
    ])
      expect(text).toContain(event);
    expect(text).toContain(uploaded[1]);
    expect(passcodes.map(({ length }) => length > 31)).toEqual([true, true]);
    expect(logs.every(({ bytes }) => bytes.length > 1000)).toBe(true);
    expect(files(dataDirectory).length).toBeGreaterThan(20);
  });

  it('finds what it looks for, however it is written', () => {
    const secret = 'Needle-4711-in-hay';
    for (const text of [
      `x${secret}`,
      Buffer.from(`ab:${secret}`).toString('base64'),
      Buffer.from(`abc:${secret}:d`).toString('base64'),
      Buffer.from(`a${secret}`).toString('hex'),
    ])
      expect(places([{ place: 'here', bytes: Buffer.from(text) }], secret)).toEqual(['here']);
  });

  it.each(Object.entries({ ...password, root: ROOT.password }))(
    'no password in answers, logs or files (%s)',
    (_, secret) => {
      expect(places([...answers, ...logs, ...files(dataDirectory)], secret)).toEqual([]);
    },
  );

  it.each(uploaded)('no content of uploads in logs, or in answers but its own (%s)', (text) => {
    const others = answers.filter(({ place }) => !place.startsWith('what is rejected:'));
    expect(places([...others, ...logs], text)).toEqual([]);
  });

  it('no passcode in answers but the one that gives it, in logs or files', () => {
    for (const secret of passcodes)
      expect(places([...answers, ...logs, ...files(dataDirectory)], secret)).toEqual([]);
  });

  it('no hash of a password', () => {
    const argon = Buffer.from('$argon2');
    const found = [...answers, ...logs, ...files(dataDirectory)].filter(({ bytes }) =>
      bytes.includes(argon),
    );
    expect(found.map(({ place }) => place)).toEqual([]);
  });

  it.each(personal)('no name or e-mail in logs, or in files but the audit table (%s)', (text) => {
    const open = answers.filter(({ place }) => !PERSONAL_ANSWER.test(place));
    expect(places([...open, ...logs], text)).toEqual([]);
    const inFiles = places(files(dataDirectory), text);
    expect(inFiles.filter((place) => !place.startsWith('/warehouse/'))).toEqual([]);
  });

  it('the data directory is open to its owner only', () => {
    expect(statSync(dataDirectory).mode & 0o077).toBe(0);
  });
});
