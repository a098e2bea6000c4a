import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../server/client.js';

/** What was sent under one name; its records say that name and count from 0. */
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
  /** Not acknowledged, and stored all the same, whole. */
  readonly silent: number;
  /** Lost, doubled or halved. */
  readonly wrong: readonly object[];
}

const STREAMS = ['one', 'two', 'three'] as const;
const PAUSE_MS = 20;

/** Uploads by many clients at once, of all sizes, with and without keys, until it is stopped. */
export class Load {
  private readonly sent: Sent[] = [];
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>[] = [];

  /** @param client whom to send to, as of now. */
  constructor(private readonly client: () => Client) {}

  start(): void {
    for (let n = 0; n < 5; n += 1) this.sendAs(`small${n}`, (count) => 1 + (count % 7), false);
    for (let n = 0; n < 2; n += 1) this.sendAs(`keyed${n}`, (count) => 1 + (count % 300), true);
    this.sendAs('medium', () => 3000, false);
    // More than one chunk, and so several batches that must come together.
    this.sendAs('large', () => 90_000, true);
  }

  /** Runs until the load ends; each call is a sender of its own. */
  also(work: (count: number) => Promise<Sent>): void {
    this.running.push(
      (async () => {
        for (let count = 0; !this.stopping.signal.aborted; count += 1)
          this.sent.push(await work(count));
      })(),
    );
  }

  /** When what is on its way was answered. */
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
    const found = new Map<string, { rows: number; different: number }>();
    for (const stream of STREAMS)
      for (const { u, rows, different } of await this.client().sql<{
        u: string;
        rows: number;
        different: number;
      }>(`SELECT u, count() AS rows, uniqExact(n) AS different FROM ${stream} GROUP BY u`))
        found.set(u, { rows, different });
    const wrong = this.sent.filter(({ id, records, acknowledged }) => {
      const { rows, different } = found.get(id) ?? { rows: 0, different: 0 };
      const whole = rows === records && different === records;
      return acknowledged ? !whole : !(whole || rows === 0);
    });
    const acknowledged = this.sent.filter((each) => each.acknowledged);
    return {
      sent: this.sent.length,
      acknowledged: acknowledged.length,
      records: acknowledged.reduce((sum, { records }) => sum + records, 0),
      silent: this.sent.filter((each) => !each.acknowledged && found.has(each.id)).length,
      wrong: wrong.map((each) => ({ ...each, ...found.get(each.id) })),
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
        // With its key it may be sent again until somebody says that it is stored.
        if (sent.acknowledged || !isKeyed || this.stopping.signal.aborted) break;
        await sleep(PAUSE_MS * 10);
      }
      await sleep(PAUSE_MS);
      return sent;
    });
  }
}

export function recordsOf({ id, records }: Sent): string {
  const padding = 'p'.repeat(records > 10_000 ? 200 : 10);
  const lines: string[] = [];
  for (let n = 0; n < records; n += 1) lines.push(`{"u":"${id}","n":${n},"p":"${padding}"}`);
  return lines.join('\n');
}
