import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { certain } from '@app/platform';
import { environment } from '../../bin/prepare.mjs';
import { Client } from '../server/client.js';
import { ROOT, startServer } from '../server/start-server.js';
import type { DamagedFile } from './damage-files.js';

export type Outcome = 'whole' | 'refused' | 'told' | 'SILENT' | 'HANGS';

/** A round tells how a server went on whose disk had damaged a file. */
export interface Round extends DamagedFile {
  readonly outcome: Outcome;
  readonly words: string;
}

/** No start, no answer and no stop takes longer, on a machine with much other work. */
const HANGS_MS = 60_000;
const MAIN = join(import.meta.dirname, '../../dist/apps/api/main.js');
const UPLOADS = 3;
const ROWS = 200;
/** This row was acknowledged by a server that was killed at once: some of it is in the queue only. */
const LAST = 40_000;
const TOTAL = UPLOADS * ROWS + LAST;

const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({ n: from + n, text: `row ${from + n}` }));

/** Makes a data directory of everything that there is. */
export async function fill(dataDirectory: string): Promise<void> {
  let server = await startServer({ dataDirectory });
  for (let upload = 0; upload < UPLOADS; upload += 1)
    await server.client.upload('logs', rows(upload * ROWS, ROWS));
  await server.stop();
  server = await startServer({ dataDirectory });
  const body = JSON.stringify(rows(UPLOADS * ROWS, LAST));
  const answer = await server.client.call('/api/default/logs/_json', { body });
  await server.kill();
  if (answer.status !== 200) throw new Error(answer.bytes.toString());
}

/** Starts it, asks for everything, and stops it. */
export async function outcomeOf(
  dataDirectory: string,
  { file, kind }: DamagedFile,
): Promise<Pick<Round, 'outcome' | 'words'>> {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...environment(),
      MILLRACE_HTTP_ADDR: '127.0.0.1:0',
      MILLRACE_DATA_DIR: dataDirectory,
      MILLRACE_ROOT_PASSWORD: ROOT.password,
      MILLRACE_LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit').then(() => 'exited' as const);
  const said: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => said.push(line));
  const url = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /listens on (\S+)/.exec(line)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const late = (): Promise<'late'> => sleep(HANGS_MS, 'late' as const, { ref: false });
  try {
    const started = await Promise.race([url, exited, late()]);
    if (started === 'late') return { outcome: 'HANGS', words: 'at its start' };
    if (started === 'exited') {
      const words = certain(said.at(-1), 'word of a server that ended');
      const names = words.includes('cannot start: ') && namesCause(words, file, kind);
      return { outcome: names ? 'refused' : 'SILENT', words };
    }
    const state = await Promise.race([stateOf(new Client(started, ROOT), dataDirectory), late()]);
    if (state === 'late') return { outcome: 'HANGS', words: 'in its answers' };
    child.kill('SIGTERM');
    if ((await Promise.race([exited, late()])) === 'late')
      return { outcome: 'HANGS', words: 'at its stop' };
    if (state === undefined) return { outcome: 'whole', words: '' };
    const logged = said.find((line) => /"level":(?:50|60)|"level":"(?:error|fatal)"/.test(line));
    const told = state.told ?? logged;
    return { outcome: told ? 'told' : 'SILENT', words: told ?? state.lacks };
  } finally {
    child.kill('SIGKILL');
  }
}

/** Tells whether a message names the cause: the file, its folder, or its kind. */
const namesCause = (words: string, file: string, kind: string): boolean =>
  [file, file.split('/')[0] ?? '', kind, 'keys of people', 'table'].some((name) =>
    words.includes(name),
  );

interface Lack {
  readonly lacks: string;
  /** `/readyz` or the answer itself tells this. */
  readonly told: string | undefined;
}

/** Looks for something that was acknowledged and is not there; undefined when there is nothing. */
async function stateOf(client: Client, dataDirectory: string): Promise<Lack | undefined> {
  const ask = () =>
    client.call('/api/default/sql', {
      body: 'SELECT count() AS c, sum(n) AS total, sum(length(text)) > 0 AS texts FROM logs',
    });
  let answer = await ask();
  for (const until = Date.now() + 20_000; Date.now() < until; answer = await ask()) {
    const [row] = answer.status === 200 ? answer.json<{ c: number; total: number }[]>() : [];
    if (row?.c === TOTAL && row.total === (TOTAL * (TOTAL - 1)) / 2) return undefined;
    if (answer.status !== 200) break;
    await sleep(500);
  }
  const ready = await client.call('/readyz', { credentials: 'none' });
  const facts = ready.bytes.toString();
  const dead = readdirSync(dataDirectory).includes('dead-letter')
    ? readdirSync(join(dataDirectory, 'dead-letter')).join()
    : '';
  const isTold = ready.status !== 200 || /"(?:damaged|aside|away)"/.test(facts);
  const said =
    answer.status < 500 && answer.status !== 408
      ? undefined
      : `${answer.status} ${answer.bytes.toString()}`;
  return {
    lacks: answer.bytes.toString().slice(0, 200),
    told: said ?? (isTold ? facts : undefined) ?? (dead === '' ? undefined : `dead-letter ${dead}`),
  };
}
