import { setTimeout as sleep } from 'node:timers/promises';
import { rounds } from '../../rounds.js';
import type { Client } from '../../server/client.js';

/** One upload under one name. Its records have that name and count from 0. */
export interface Sent {
  readonly id: string;
  readonly records: number;
  acknowledged: boolean;
}

export interface Outcome {
  readonly sent: number;
  readonly acknowledged: number;
  /** Records of what was acknowledged. */
  readonly records: number;
  /** These uploads were not acknowledged, and are stored all the same, whole. */
  readonly silent: number;
  /** Counts of records that were lost, doubled, halved, changed, or sent by nobody. */
  readonly wrong: readonly object[];
}

/** The name of records that only say that all before them were looked at. */
export const LAST = 'last';
export const STREAMS = ['one', 'two', 'three'] as const;
/**
 * A sender pauses so long between two uploads: CI's machine has other suites at work, and this load
 * is most of what the rounds cost.
 */
const PAUSE_MS = rounds(200, 20);
const PAUSE_OF_MEDIUM_MS = rounds(1000, 20);
const PAUSE_OF_LARGE_MS = rounds(6000, 20);

/** Uploads by many clients at once, of all sizes, with and without keys, until it is stopped. */
export class Load {
  private readonly sent: Sent[] = [];
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>[] = [];

  /** @param client the client for the node that is used now. */
  constructor(private readonly client: () => Client) {}

  start(): void {
    for (let n = 0; n < 5; n += 1) this.sendAs(`small${n}`, (count) => 1 + (count % 7), false);
    for (let n = 0; n < 2; n += 1) this.sendAs(`keyed${n}`, (count) => 1 + (count % 300), true);
    this.sendAs('medium', () => 3000, false);
    // These are more than one chunk, and so several batches that must come together.
    this.sendAs('large', () => 90_000, true);
  }

  /** Runs until the load ends; each call is a sender of its own. */
  also(work: (count: number) => Promise<Sent>): void {
    this.running.push(
      (async () => {
        for (let count = 0; !this.stopping.signal.aborted; count += 1) this.told(await work(count));
      })(),
    );
  }

  /** A message that was sent, and its outcome. */
  told(sent: Sent): void {
    this.sent.push(sent);
  }

  /** Resolves when everything that was sent has been answered. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
  }

  get acknowledged(): number {
    return this.sent.filter(({ acknowledged }) => acknowledged).length;
  }

  has(one: (sent: Sent) => boolean): boolean {
    return this.sent.some(one);
  }

  async outcome(): Promise<Outcome> {
    const found = new Map<string, Found>();
    for (const stream of STREAMS)
      for (const each of await this.client().sql<Found>(
        `SELECT u, count() AS rows, uniqExact(n) AS different, min(n) AS first, max(n) AS last, uniqExact(p) AS paddings, any(length(p)) AS padding FROM ${stream} WHERE u != '${LAST}' GROUP BY u`,
      ))
        found.set(each.u, found.has(each.u) ? { ...each, rows: Infinity } : each);
    const wrong = this.sent.filter((sent) => {
      const there = found.get(sent.id);
      return there ? !isWhole(sent, there) : sent.acknowledged;
    });
    const known = new Set(this.sent.map(({ id }) => id));
    const strangers = [...found.values()].filter(({ u }) => !known.has(u));
    const acknowledged = this.sent.filter((each) => each.acknowledged);
    return {
      sent: this.sent.length,
      acknowledged: acknowledged.length,
      records: acknowledged.reduce((sum, { records }) => sum + records, 0),
      silent: this.sent.filter((each) => !each.acknowledged && found.has(each.id)).length,
      wrong: [...wrong.map((each) => ({ ...each, ...found.get(each.id) })), ...strangers],
    };
  }

  private sendAs(name: string, size: (count: number) => number, isKeyed: boolean): void {
    const stream = STREAMS[this.running.length % STREAMS.length] ?? 'one';
    this.also(async (count) => {
      const sent: Sent = { id: `${name}-${count}`, records: size(count), acknowledged: false };
      const body = recordsOf(sent);
      const headers = isKeyed ? { 'idempotency-key': sent.id } : {};
      for (;;) {
        const answer = await this.client()
          .call(`/api/default/${stream}/_json`, { body, headers })
          .catch(() => undefined);
        sent.acknowledged = answer?.status === 200;
        // An upload with a key may be sent again until an answer says that it is stored.
        if (sent.acknowledged || !isKeyed || this.stopping.signal.aborted) break;
        await sleep(200);
      }
      await sleep(pauseAfter(sent));
      return sent;
    });
  }
}

const pauseAfter = ({ records }: Sent): number =>
  records > 10_000 ? PAUSE_OF_LARGE_MS : records > 1000 ? PAUSE_OF_MEDIUM_MS : PAUSE_MS;

/** The table has these rows of one name. */
interface Found {
  readonly u: string;
  readonly rows: number;
  readonly different: number;
  readonly first: number;
  readonly last: number;
  readonly paddings: number;
  readonly padding: number;
}

/** Every record once, as it was sent. */
const isWhole = ({ records }: Sent, found: Found): boolean =>
  found.rows === records &&
  found.different === records &&
  found.first === 0 &&
  found.last === records - 1 &&
  found.paddings === 1 &&
  found.padding === paddingOf(records);

const paddingOf = (records: number): number => (records > 10_000 ? 200 : 10);

export function recordsOf({ id, records }: Sent): string {
  const padding = 'p'.repeat(paddingOf(records));
  const lines: string[] = [];
  for (let n = 0; n < records; n += 1) lines.push(`{"u":"${id}","n":${n},"p":"${padding}"}`);
  return lines.join('\n');
}
