import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeadLetter } from '../../libs/writer/dead-letter.js';
import { ProcessCluster } from '../server/cluster/process-cluster.js';
import { sharedBroker } from '../server/kafka/kafka-server.js';
import { runOperator, type Ended } from '../server/run-millrace.js';
import { until } from '../server/until.js';

// Nine processes start on two cores.
const START_MS = 240_000;
const TIMEOUT_MS = 120_000;

describe('the cluster of docker-compose.yml, as processes', () => {
  let cluster: ProcessCluster;

  beforeAll(async () => {
    cluster = await ProcessCluster.start({ kafka: await sharedBroker() });
  }, START_MS);
  afterAll(() => (cluster as ProcessCluster | undefined)?.kill(), TIMEOUT_MS);

  const metric = async (status: string, name: string): Promise<number> => {
    const text = await (await fetch(`${status}/metrics`)).text();
    const values = text
      .split('\n')
      .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      .map((line) => Number(line.slice(line.lastIndexOf(' '))));
    return values.reduce((sum, value) => sum + value, 0);
  };

  it('is ready, all of it', async () => {
    expect(cluster.programs).toHaveLength(5);
    for (const { status } of cluster.programs)
      expect((await fetch(`${status}/readyz`)).status).toBe(200);
  });

  /** Lists the programs that carry events out, by their own account. */
  const leading = async (): Promise<readonly number[]> =>
    Promise.all(
      [cluster.projector, ...cluster.nodes].map(({ status }) => metric(status, 'millrace_lead')),
    );
  const carriedOut = async (name: string): Promise<void> => {
    const answer = await cluster.node(0).client.call('/api/default/users', {
      body: JSON.stringify({
        email: `${name}@example.com`,
        first_name: name,
        last_name: 'X',
        password: 'Secret-77',
        role: 'viewer',
      }),
      headers: { 'content-type': 'application/json' },
    });
    expect([answer.status, answer.bytes.toString()]).toEqual([200, expect.any(String)]);
  };

  it(
    'has its events carried out by the projector, whichever process started last',
    async () => {
      await carriedOut('ann');
      await until(async () => (await leading()).join() === '1,0,0');
    },
    TIMEOUT_MS,
  );

  it(
    'goes on when the projector hangs, and gives it the work back when it goes on too',
    async () => {
      const { process: hanging } = cluster.projector;
      hanging.kill('SIGSTOP');
      await carriedOut('ben');
      const nodes = await Promise.all(
        cluster.nodes.map(({ status }) => metric(status, 'millrace_lead')),
      );
      expect(nodes).toContain(1);
      hanging.kill('SIGCONT');
      let next = 0;
      await until(async () => {
        await carriedOut(`later${(next += 1)}`);
        return (await leading()).join() === '1,0,0';
      });
    },
    TIMEOUT_MS,
  );

  it(
    'goes on without a projector, and leaves the work to the next one',
    async () => {
      expect(await cluster.projector.stop()).toBe(0);
      await carriedOut('cleo');
      await cluster.client.upload('lonely', [{ a: 1 }]);
      expect(await cluster.node(0).client.count('lonely')).toBe(1);
      await cluster.startProjector();
      await carriedOut('dora');
      await until(async () => (await leading()).join() === '1,0,0');
      const [twice] = await cluster
        .node(0)
        .client.sql<{ n: number }>('SELECT count() - uniqExact(position) AS n FROM _audit');
      expect(twice).toEqual({ n: 0 });
    },
    TIMEOUT_MS,
  );

  it(
    'answers at one node what was uploaded through the other, and through the proxy',
    async () => {
      expect(await cluster.node(0).client.upload('logs', [{ a: 1 }, { a: 2 }])).toMatchObject({
        successful: 2,
      });
      await until(async () => {
        const answer = await cluster.node(1).client.call('/api/default/logs/schema');
        return answer.status === 200;
      });
      expect(await cluster.node(1).client.sql('SELECT sum(a) AS sum FROM logs')).toEqual([
        { sum: 3 },
      ]);
      await cluster.client.upload('logs', [{ a: 3 }]);
      expect(await cluster.client.count('logs')).toBe(3);
    },
    TIMEOUT_MS,
  );

  it('is written by writers, and by nobody else', async () => {
    const rows = (programs: readonly { status: string }[]): Promise<number> =>
      Promise.all(programs.map(({ status }) => metric(status, 'millrace_written_rows_total'))).then(
        (each) => each.reduce((sum, value) => sum + value, 0),
      );
    expect(await rows(cluster.writers)).toBe(4);
    expect(await rows(cluster.nodes)).toBe(0);
  });

  it(
    'tells the lag by partition, which grows while nobody writes and goes when a writer comes',
    async () => {
      for (const writer of cluster.writers.splice(0)) expect(await writer.stop()).toBe(0);
      const { client, status } = cluster.node(0);
      const body = JSON.stringify([{ a: 4 }]);
      for (let time = 0; time < 5; time += 1)
        expect((await client.call('/api/default/logs/_json', { body })).status).toBe(200);
      await until(async () => (await metric(status, 'millrace_queue_lag')) === 5);
      const writer = await cluster.startWriter('writer-3');
      await until(async () => (await metric(status, 'millrace_queue_lag')) === 0);
      expect(await metric(writer.status, 'millrace_written_rows_total')).toBe(5);
      expect(await cluster.node(1).client.count('logs')).toBe(8);
    },
    TIMEOUT_MS,
  );

  /**
   * Runs a command as an operator does, with the variables and the data directory of a process that
   * goes on.
   */
  const millrace = (args: readonly string[], dataDirectory: string): Promise<Ended> =>
    runOperator(args, {
      home: tmpdir(),
      variables: { ...cluster.variables(), MILLRACE_DATA_DIR: dataDirectory },
    });
  async function onClickHouse(statement: string): Promise<string> {
    const { origin, username, password } = new URL(cluster.clickHouse.url);
    const named = decodeURIComponent(`${username}:${password}`);
    const authorization = `Basic ${Buffer.from(named).toString('base64')}`;
    const answer = await fetch(origin, {
      method: 'POST',
      body: statement,
      headers: { authorization },
    });
    const text = (await answer.text()).trim();
    if (!answer.ok) throw new Error(text);
    return text;
  }
  /** Reads a table's database, or its comment, which is the id of its stream. */
  const ofTable = (what: 'database' | 'comment', table: string): Promise<string> =>
    onClickHouse(`SELECT ${what} FROM system.tables WHERE name = '${table}' LIMIT 1`);

  it(
    'has its dead letters put back while it runs',
    async () => {
      const [writer] = cluster.writers;
      if (!writer) throw new Error('there is no writer');
      const headers = {
        ...{ database: await ofTable('database', 'lonely'), table: 'lonely' },
        ...{ streamId: await ofTable('comment', 'lonely') },
        ...{ columns: '["_timestamp","a"]', types: '[["Nullable(Int64)"],[0]]' },
        ...{ ending: '.ndjson', rows: '2', recordBytes: '20' },
      };
      const bytes = Buffer.from('{"_timestamp":1,"a":2}\n{"_timestamp":2,"a":3}\n');
      const position = { partition: 3, offset: 1_000_000n };
      const kept = new DeadLetter(join(writer.dataDirectory, 'dead-letter'));
      await kept.keep({ position, key: 'k', headers, payload: { bytes } }, 'for a test');
      const waiting = (): Promise<number> => metric(writer.status, 'millrace_dead_letter_batches');
      expect(await waiting()).toBe(1);
      const { code, stdout } = await millrace(['dead-letter', '--replay'], writer.dataDirectory);
      expect([code, stdout]).toEqual([0, '3-1000000: in its table\n']);
      expect(await cluster.node(1).client.count('lonely')).toBe(3);
      expect(await waiting()).toBe(0);
      // The node that lost its partition to the command goes on with it.
      for (let time = 0; time < 20; time += 1)
        await cluster.node(0).client.upload('lonely', [{ a: 4 }]);
      expect(await cluster.node(1).client.count('lonely')).toBe(23);
    },
    TIMEOUT_MS,
  );

  it(
    'has its audit trail verified while it is appended to, and what was changed in it found',
    async () => {
      const changing = new AbortController();
      const changes = (async () => {
        for (let n = 0; !changing.signal.aborted; n += 1) await carriedOut(`meanwhile${n}`);
      })();
      const { code, stdout } = await millrace(['audit:verify'], cluster.projector.dataDirectory);
      changing.abort();
      await changes;
      expect([code, stdout]).toEqual([
        0,
        expect.stringMatching(/default: \d+ entries, intact, head [0-9a-f]{64}/),
      ]);
      const trail = `${await ofTable('database', '_audit')}._audit`;
      const first = `position = (SELECT min(position) FROM ${trail})`;
      await onClickHouse(
        `ALTER TABLE ${trail} UPDATE address = '192.0.2.9' WHERE ${first} SETTINGS mutations_sync = 1`,
      );
      const changed = await millrace(['audit:verify'], cluster.projector.dataDirectory);
      expect([changed.code, changed.stdout]).toEqual([
        1,
        expect.stringMatching(/NOT INTACT[^]*changed in address/),
      ]);
    },
    TIMEOUT_MS,
  );

  it(
    'serves on through the proxy when a node stops, without a failure',
    async () => {
      let stopped = false;
      const ending = cluster.node(0).stop();
      void ending.then(() => (stopped = true));
      while (!stopped) expect(await cluster.client.count('logs')).toBe(8);
      expect(await ending).toBe(0);
      expect(await cluster.client.count('logs')).toBe(8);
    },
    TIMEOUT_MS,
  );

  it(
    'ends in good order',
    async () => {
      cluster.nodes.shift();
      expect(await cluster.stop()).toEqual([0, 0, 0]);
      for (const program of cluster.programs) expect(program.process.exitCode).toBe(0);
    },
    TIMEOUT_MS,
  );
});
