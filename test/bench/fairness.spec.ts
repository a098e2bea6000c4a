import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT, startServer, type Server } from '../server/start-server.js';
import { report } from './report.js';

const SHORT = process.env.BENCH === 'short';
const MEASURED_MS = SHORT ? 1500 : 10_000;
/** A large body has so many lines. */
const LARGE = SHORT ? 100_000 : 400_000;
const AUTHORIZATION = `Basic ${Buffer.from(`${ROOT.email}:${ROOT.password}`).toString('base64')}`;
const LINE = '{"host":"db-1","status":200,"duration":0.25}\n';
const BODIES = [
  ['a record', Buffer.from(LINE)],
  [`${Math.round((LARGE * LINE.length) / 1e6)} MB`, Buffer.from(LINE.repeat(LARGE))],
] as const;
const UPLOADS_MIN = 5;
/** A short run has few uploads, and CI's machine other work; without turns it is 10 to 400. */
const RATIO_MAX = SHORT ? 8 : 3;
/** Other work of the machine comes between once; a flood that takes the turns takes them each time. */
const TRIES = SHORT ? 3 : 1;

interface Latency {
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly uploads: number;
}

/** The flooding organization sends one of these loads. */
const FLOODS = [
  { name: '64 connections, a record each', connections: 64, records: 1 },
  { name: `16 connections, ${LARGE} records each`, connections: 16, records: LARGE },
  { name: '200 connections, 1 MB each', connections: 200, records: 10_000 },
] as const;

describe('one organization beside the flood of another', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer();
    const founder = { email: 'founder@example.com', first_name: 'F', last_name: 'F' };
    const body = JSON.stringify({ ...founder, password: 'Secret-77', role: 'member' });
    await server.client.call('/api/default/users', { body });
    for (const org of ['flood', 'calm'])
      await server.client.call(`/api/${org}/users/${founder.email}`, { body: '{"role":"admin"}' });
  });
  afterAll(() => server.stop());

  /** Uploads one after the other. */
  async function latency(body: Buffer, measuredMs: number): Promise<Latency> {
    const times: number[] = [];
    const until = performance.now() + measuredMs;
    while (times.length < UPLOADS_MIN || performance.now() < until) {
      const started = performance.now();
      const answer = await server.client.call('/api/calm/logs/_json', { body });
      expect(answer.status).toBe(200);
      times.push(performance.now() - started);
    }
    times.sort((a, b) => a - b);
    const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
    return { medianMs: at(0.5), p95Ms: at(0.95), uploads: times.length };
  }

  async function beside<T>(
    { connections, records }: (typeof FLOODS)[number],
    work: () => Promise<T>,
  ): Promise<{ result: T; answers: string }> {
    const flood = spawn(
      process.execPath,
      [
        join(import.meta.dirname, 'flood.mjs'),
        `${server.url}/api/flood/logs/_json`,
        AUTHORIZATION,
        String(connections),
        String(records),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const lines = createInterface({ input: flood.stdout });
    // The flood says when it has its first answer: before that, its stream is being made.
    await once(lines, 'line');
    const result = await work();
    const told = once(lines, 'line') as Promise<[string]>;
    flood.kill('SIGTERM');
    const [answers] = await told;
    return { result, answers };
  }

  interface Compared {
    readonly alone: Latency;
    readonly result: Latency;
    /** The flood's. */
    readonly answers: string;
    /** Medians of the one to the other. */
    readonly ratio: number;
  }

  async function compare(body: Buffer, flood: (typeof FLOODS)[number]): Promise<Compared> {
    const alone = await latency(body, MEASURED_MS);
    const { result, answers } = await beside(flood, () => latency(body, MEASURED_MS));
    return { alone, result, answers, ratio: result.medianMs / alone.medianMs };
  }

  it(`has its uploads answered in at most ${RATIO_MAX} times what they take alone`, async () => {
    const rows: [string, string][] = [];
    const ratios: number[] = [];
    for (const [size, body] of BODIES) {
      await latency(body, 3);
      for (const flood of FLOODS) {
        let compared = await compare(body, flood);
        for (let left = TRIES - 1; left > 0 && compared.ratio > RATIO_MAX; left -= 1)
          compared = await compare(body, flood);
        const { alone, result, answers, ratio } = compared;
        ratios.push(ratio);
        rows.push(
          [`${size}, alone`, show(alone)],
          [
            `${size}, beside ${flood.name}`,
            `${show(result)}; ${ratio.toFixed(1)} times as long (95 of 100: ${(result.p95Ms / alone.p95Ms).toFixed(1)}); the flood's answers: ${answers}`,
          ],
        );
      }
    }
    report('Latency of uploads beside the flood of another organization', rows);
    expect(Math.max(...ratios)).toBeLessThanOrEqual(RATIO_MAX);
  }, 600_000);
});

const show = ({ medianMs, p95Ms, uploads }: Latency): string =>
  `median ${medianMs.toFixed(1)} ms, 95 of 100 within ${p95Ms.toFixed(1)} ms (${uploads} uploads)`;
