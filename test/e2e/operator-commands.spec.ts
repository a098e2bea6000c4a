import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { crc32 } from 'node:zlib';
import { open } from 'lmdb';
import { DeadLetter } from '../../libs/writer/dead-letter.js';
import { environment } from '../../bin/prepare.mjs';
import { openLocalEngine } from '../server/open-local-engine.js';
import { runMillrace, startMillrace } from '../server/run-millrace.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const NOT_THERE = /there is no projection nope; there are (users.+), all\n$/;

/** `npm run replay` and `npm run audit:verify`, as an operator runs them on a stopped server. */
describe('commands for operators', () => {
  let dataDirectory: string;
  let server: Server | undefined;

  const run = (name: string, ...args: string[]): Promise<Ended> => runIn(dataDirectory, name, args);
  async function runIn(
    directory: string,
    name: string,
    args: readonly string[],
    variables: Readonly<Record<string, string>> = {},
  ): Promise<Ended> {
    const program = join(import.meta.dirname, `../../dist/apps/api/${name}.js`);
    const child = spawn(process.execPath, [program, ...args], {
      env: {
        ...environment(),
        MILLRACE_DATA_DIR: directory,
        MILLRACE_LOG_LEVEL: 'fatal',
        ...variables,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit') as Promise<[number | null]>,
    ]);
    return { code, stdout, stderr };
  }
  const start = async (): Promise<Server> => (server = await startServer({ dataDirectory }));
  const stop = async (): Promise<void> => {
    await server?.stop();
    server = undefined;
  };
  const told = async ({ client }: Server): Promise<string[]> => {
    const answers = await Promise.all(
      ['users', 'streams?fetchSchema=true', 'audit?size=1000', 'organizations'].map((path) =>
        client.call(`/api/default/${path}`),
      ),
    );
    return answers.map(({ bytes }) => bytes.toString());
  };

  beforeAll(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-'));
    const { client } = await start();
    for (const name of ['ann', 'ben']) {
      const person = {
        email: `${name}@example.com`,
        password: 'Secret-77',
        first_name: 'F',
        last_name: 'L',
        role: 'admin',
      };
      expect(
        (await client.call('/api/default/users', { body: JSON.stringify(person) })).status,
      ).toBe(200);
    }
    await client.upload('logs', [{ a: 1, b: 'x' }]);
    expect(
      (
        await client.call('/api/default/streams/logs/settings', {
          method: 'PUT',
          body: '{"data_retention":30}',
        })
      ).status,
    ).toBe(200);
    await client.upload('gone', [{ a: 1 }]);
    expect((await client.call('/api/default/gone', { method: 'DELETE' })).status).toBe(200);
    await stop();
  });
  afterAll(async () => {
    await stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  describe('as one program', () => {
    const home = (): { home: string } => ({ home: dataDirectory });
    let all: string;
    beforeAll(async () => {
      all = (await runMillrace(['--help'], home())).stdout;
    });

    it.each([
      'upload',
      'serve',
      'dead-letter',
      'audit:verify',
      'replay',
      'backup',
      'restore',
      'change-key',
      'seal-events',
      'reconcile',
    ])('millrace names %s, which tells how it is used', async (command) => {
      expect(all).toContain(`\n  ${command} `);
      const own = await runMillrace([command, '--help'], home());
      expect([own.code, own.stdout]).toEqual([
        0,
        expect.stringMatching(new RegExp(`^usage: millrace ${command}\\b`)),
      ]);
      // In the image no process is started for it.
      const variables = environment();
      const here = await runMillrace([command, '--help'], { ...home(), variables });
      expect(here.stdout).toBe(own.stdout);
    });

    it.each(['writer', 'projector'])('millrace serve is the %s by its role', async (role) => {
      const variables = { MILLRACE_ROLES: role };
      const { code, stdout } = await runMillrace(['serve', '--help'], { ...home(), variables });
      expect([code, stdout]).toEqual([0, expect.stringContaining(`MILLRACE_ROLES=${role}\n`)]);
    });

    it.each(['', 'writer', 'projector'])(
      'millrace serve takes no arguments, with the roles %j',
      async (role) => {
        const variables = role === '' ? {} : { MILLRACE_ROLES: role };
        for (const argument of ['--data-dir', 'now']) {
          const { code, stderr } = await runMillrace(['serve', argument], { ...home(), variables });
          expect([code, stderr]).toEqual([1, expect.stringContaining(`'${argument}'`)]);
        }
      },
    );

    it('says which commands there are', async () => {
      const { code, stderr } = await runMillrace(['run'], home());
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(
          /no command run; want upload, serve, dead-letter, audit:verify, replay, backup, restore, change-key, seal-events or reconcile/,
        ),
      ]);
    });

    it.each([
      ['a process of its own', {}],
      ['this one', environment()],
    ])('millrace serve serves until it is told to stop, in %s', async (_, variables) => {
      const { process: child, ended } = startMillrace(['serve'], {
        ...home(),
        variables: {
          ...variables,
          MILLRACE_HTTP_ADDR: '127.0.0.1:0',
          MILLRACE_DATA_DIR: dataDirectory,
          MILLRACE_DRAIN_SECONDS: '0',
          MILLRACE_LOG_LEVEL: 'fatal',
        },
      });
      let printed = '';
      child.stdout?.on('data', (bytes: Buffer) => (printed += bytes.toString()));
      await until(() => Promise.resolve(printed.includes('root user')));
      const url = /listens on (\S+)/.exec(printed)?.[1] ?? '';
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      child.kill('SIGTERM');
      expect((await ended).code).toBe(0);
    });
  });

  describe('beside a running server', () => {
    beforeAll(start);
    afterAll(stop);

    it.each([
      ['replay', ['--projection', 'users']],
      ['dead-letter', ['--replay']],
    ])('%s does nothing', async (name, args) => {
      const { code, stderr } = await run(name, ...args);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/data directory|in use|lock/i)]);
    });

    it('replay says first that there is no such read model', async () => {
      const { code, stderr } = await run('replay', '--projection', 'nope');
      expect([code, stderr]).toEqual([1, expect.stringMatching(NOT_THERE)]);
    });
  });

  it.each<[string, string[]]>([
    ['audit-verify', []],
    ['replay', ['--projection', 'all']],
    ['dead-letter', ['--list']],
    ['dead-letter', ['--replay']],
    ['change-key', []],
    ['reconcile', []],
    ['seal-events', []],
  ])('%s %j finds nothing right where there is no data, and makes none', async (name, args) => {
    const nowhere = join(dataDirectory, 'nowhere');
    const { code, stderr } = await runIn(nowhere, name, args);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`no data of Millrace in ${nowhere}: set MILLRACE_DATA_DIR`),
    ]);
    expect(existsSync(nowhere)).toBe(false);
  });

  it.each<[string, string[]]>([
    ['audit-verify', []],
    ['dead-letter', ['--list']],
    ['dead-letter', ['--replay']],
    ['reconcile', []],
    ['replay', ['--projection', 'users']],
  ])('%s %j needs no certificate that the server has', async (name, args) => {
    const unreadable = join(dataDirectory, 'no.pem');
    const variables = { MILLRACE_TLS_CERT: unreadable, MILLRACE_TLS_KEY: unreadable };
    const { code, stderr } = await runIn(dataDirectory, name, args, variables);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('MILLRACE_TLS')]);
  });

  it('reconcile says that there is no such organization, where nothing differs, too', async () => {
    const { code, stderr } = await run('reconcile', '--drop', '--organization', 'nobody');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('there is no organization nobody: neither events nor tables'),
    ]);
    const known = await run('reconcile', '--drop', '--organization', 'default');
    expect([known.code, known.stdout]).toEqual([0, 'nothing differs\n']);
  });

  describe('replay', () => {
    let before: string[];
    beforeAll(async () => {
      before = await told(await start());
      await stop();
    });

    it.each(['streams', 'warehouse-tables', 'audit-trail', 'all'])(
      'makes %s again, as it was',
      async (projection) => {
        const { code, stdout, stderr } = await run(
          'replay',
          '--projection',
          projection,
          '--from',
          '0',
        );
        expect([code, stderr.replace(/[^]*\r/, '')]).toEqual([
          0,
          expect.not.stringMatching(/error/i),
        ]);
        expect(stdout + stderr).toMatch(
          projection === 'all' ? /users[^]*streams[^]*audit-trail/ : projection,
        );
        const running = await start();
        expect(await told(running)).toEqual(before);
        expect(await running.client.count('logs')).toBe(1);
        await stop();
      },
      120_000,
    );

    it('makes lost tables and snapshots again, of each read model that it names', async () => {
      rmSync(join(dataDirectory, 'snapshots'), { recursive: true });
      const { code, stdout } = await run('replay', '--projection', 'all');
      const made = [...stdout.matchAll(/^(.+): \d+ events in/gm)].map(([, names = '']) => names);
      const [, named = ''] =
        NOT_THERE.exec((await run('replay', '--projection', 'nope')).stderr) ?? [];
      expect([code, made.join(', ').split(', ').sort()]).toEqual([0, named.split(', ').sort()]);
      expect(existsSync(join(dataDirectory, 'snapshots'))).toBe(true);
      expect(await told(await start())).toEqual(before);
      await stop();
    });

    it.each<[string, string[], RegExp]>([
      ['no projection', [], /which projection/],
      ['one there is not', ['--projection', 'nope'], NOT_THERE],
      ['a position that is none', ['--projection', 'users', '--from', 'x'], /--from/],
      ['an option there is not', ['--projektion', 'users'], /projektion/],
    ])('says what is wrong: %s', async (_, args, message) => {
      const { code, stderr } = await run('replay', ...args);
      expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    });

    it('--help tells how', async () => {
      expect(await run('replay', '--help')).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/usage: millrace replay/) as string,
      });
    });
  });

  describe('dead-letter', () => {
    interface StoredStream {
      readonly id: string;
      readonly database: string;
      readonly name: string;
    }
    const folder = (): string => join(dataDirectory, 'dead-letter');

    /** A batch of two rows for `logs`, as a writer would have kept it; one that is broken, too. */
    async function keepTwo(): Promise<void> {
      const opened = open({ path: join(dataDirectory, 'events'), maxDbs: 4 });
      const events = opened.openDB<{ type: string; data: StoredStream }, number>({
        name: 'events',
        encoding: 'json',
      });
      const created = [...events.getRange()].map(({ value }) => value);
      const stream = created.find(
        ({ type, data }) => type === 'StreamCreated' && data.name === 'logs',
      )?.data;
      await opened.close();
      if (!stream) throw new Error('there is no stream logs');
      const engine = openLocalEngine(dataDirectory);
      const file = join(dataDirectory, 'two.native.zst');
      await engine.run(
        `INSERT INTO FUNCTION file('${file}', Native) SELECT now64(6, 'UTC') AS _timestamp, toNullable(toInt64(number)) AS a FROM numbers(2)`,
      );
      await engine.close();
      const headers = {
        ...{ database: stream.database, table: 'logs', streamId: stream.id },
        ...{ columns: '["_timestamp","a"]', rows: '2', recordBytes: '20' },
      };
      const deadLetter = new DeadLetter(folder());
      const keep = (offset: bigint, bytes: Uint8Array): Promise<void> =>
        deadLetter.keep(
          { position: { partition: 1, offset }, key: 'k', headers, payload: { bytes } },
          'for a test',
        );
      await keep(7n, readFileSync(file));
      await keep(8n, Buffer.from('no batch'));
    }

    it('tells what is there, and puts each back once; what does not go stays', async () => {
      const before = await (await start()).client.count('logs');
      await stop();
      await keepTwo();
      const listed = await run('dead-letter', '--list');
      expect([listed.code, listed.stdout]).toEqual([
        0,
        expect.stringMatching(/1-7: 2 rows for o_[0-9a-f]+\.logs: for a test\n1-8: .*\n2 batches/),
      ]);
      const copy = join(dataDirectory, 'copy');
      cpSync(folder(), copy, { recursive: true });
      for (let again = 0; again < 2; again += 1) {
        const replayed = await run('dead-letter', '--replay');
        expect([replayed.code, replayed.stdout]).toEqual([
          1,
          expect.stringMatching(/1-7: in its table\n1-8: stays: /),
        ]);
        expect((await run('dead-letter', '--list')).stdout).toMatch(/^1-8: .*\n1 batches\n$/);
        rmSync(folder(), { recursive: true });
        cpSync(copy, folder(), { recursive: true });
      }
      rmSync(folder(), { recursive: true });
      const { client } = await start();
      expect(await client.count('logs')).toBe(before + 2);
      await stop();
    }, 120_000);

    it.each<[string, string[], RegExp]>([
      ['nothing to do', [], /say --list or --replay/],
      ['an option there is not', ['--put-back'], /put-back/],
    ])('says what is wrong: %s', async (_, args, message) => {
      const { code, stderr } = await run('dead-letter', ...args);
      expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    });
  });

  describe('audit:verify', () => {
    const head = (stdout: string): string =>
      /default: \d+ entries, intact, head ([0-9a-f]{64})/.exec(stdout)?.[1] ?? '';

    it('finds the trail intact, with a head that can be noted and asked for later', async () => {
      const first = await run('audit-verify');
      expect([first.code, head(first.stdout).length]).toEqual([0, 64]);
      const { client } = await start();
      await client.upload('later', [{ a: 1 }]);
      await stop();
      const noted = `default=${head(first.stdout)}`;
      expect(await run('audit-verify', '--head', noted)).toMatchObject({ code: 0 });
      const other = await run('audit-verify', '--head', `default=${'0'.repeat(64)}`);
      expect([other.code, other.stdout]).toEqual([
        1,
        expect.stringMatching(/NOT INTACT[^]*noted hash 0000/),
      ]);
    });

    it('finds an event that was changed in the store', async () => {
      const opened = open({ path: join(dataDirectory, 'events'), maxDbs: 4 });
      const events = opened.openDB<Record<string, unknown>, number>({
        name: 'events',
        encoding: 'json',
      });
      const [changed] = [...events.getRange()].filter(
        ({ value }) => value.type === 'UserAddedToOrganization',
      );
      if (!changed) throw new Error('nobody was added');
      const data = { ...(changed.value.data as object), role: 'viewer' };
      await events.put(changed.key, { ...changed.value, data });
      await opened.close();
      expect(await run('audit-verify')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(
          `at or after position ${changed.key} is not what was`,
        ) as string,
      });
      // A forger who changes an event on purpose can also make its sum anew.
      const forging = open({ path: join(dataDirectory, 'events'), maxDbs: 4 });
      const { id, type, metadata, stream, revision } = changed.value;
      const sum = crc32(JSON.stringify([id, type, data, metadata, stream, revision]));
      await forging
        .openDB<unknown, number>({ name: 'events', encoding: 'json' })
        .put(changed.key, { ...changed.value, data, sum });
      await forging.close();
      const { code, stdout } = await run('audit-verify');
      expect([code, stdout]).toEqual([
        1,
        expect.stringMatching(
          new RegExp(
            `NOT INTACT[^]*position ${changed.key}: changed in outcome[^]*not ours: event \\d+ of \\S+, UserAddedToOrganization: its MAC does not fit`,
          ),
        ),
      ]);
      // The store is put back as it was, for the tests beside this one.
      const again = open({ path: join(dataDirectory, 'events'), maxDbs: 4 });
      await again
        .openDB<unknown, number>({ name: 'events', encoding: 'json' })
        .put(changed.key, changed.value);
      await again.close();
      expect(await run('audit-verify')).toMatchObject({ code: 0 });
    });
  });
});
