// Puts a cluster under load, in the network of the program that starts it. Prints the outcome as
// JSON.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { ProcessCluster } from '../../server/cluster/process-cluster.js';
import { until } from '../../server/until.js';

const UPLOADERS = 4;
const UPLOADS_EACH = 15;
const RECORDS = 200;
/** Connections of others that send as much as goes through, so that there is never room for all. */
const OTHERS = 8;
const PIECE = Buffer.alloc(20_000);
/** All parts share this network; a packet that finds no room in its queue is lost. */
const NETWORK = 'rate 40mbit burst 4kb limit 16kb';

const cluster = await ProcessCluster.start();
const failures = new Map<number | string, number>();
const fail = (what: number | string): void =>
  void failures.set(what, (failures.get(what) ?? 0) + 1);

/** The upload is sent again under its key until it is acknowledged. */
async function upload(id: string): Promise<void> {
  const body = JSON.stringify(Array.from({ length: RECORDS }, (_, n) => ({ id, n })));
  const acknowledged = async (): Promise<boolean> => {
    const answer = await cluster.client
      .call('/api/default/slow/_json', { body, headers: { 'idempotency-key': id } })
      .catch((error: unknown) => String(error));
    const status = typeof answer === 'string' ? answer : answer.status;
    if (status !== 200) fail(status);
    return status === 200;
  };
  await until(acknowledged, 120_000);
}

async function crowd(): Promise<void> {
  const sink = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
  await once(sink, 'listening');
  for (let n = 0; n < OTHERS; n += 1) {
    const socket = connect((sink.address() as AddressInfo).port, '127.0.0.1');
    const send = (): void => void socket.write(PIECE, send);
    socket.once('connect', send);
  }
}

const tc = (command: string): string => execFileSync('tc', command.split(' ')).toString();

try {
  tc(`qdisc add dev lo root tbf ${NETWORK}`);
  await crowd();
  const uploading = Array.from({ length: UPLOADERS }, async (_, uploader) => {
    for (let n = 0; n < UPLOADS_EACH; n += 1) await upload(`${uploader}-${n}`);
  });
  let ended = false;
  let answered = 0;
  const asking = (async (): Promise<void> => {
    while (!ended) {
      const { status } = await cluster.client.call('/api/default/sql', { body: 'SELECT 1 AS one' });
      if (status === 200) answered += 1;
      else fail(`query ${status}`);
    }
  })();
  await Promise.all(uploading).finally(() => (ended = true));
  await asking;
  const rows = UPLOADERS * UPLOADS_EACH * RECORDS;
  await until(async () => (await cluster.client.count('slow')) >= rows);
  const [stored] = await cluster.client.sql(
    'SELECT count() AS rows, uniqExact(id, n) AS different FROM slow',
  );
  const lost = Number(/dropped (\d+)/.exec(tc('-s qdisc show dev lo'))?.[1]);
  console.log(JSON.stringify({ lost, stored, rows, answered, failures: [...failures] }));
} finally {
  await cluster.kill();
  process.exit();
}
