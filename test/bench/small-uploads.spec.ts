import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT, startServer } from '../server/start-server.js';
import { report } from './report.js';

const SHORT = process.env.BENCH === 'short';
const CONNECTIONS = 64;
const REQUESTS = SHORT ? 4000 : 20_000;
const RECORD =
  '{"host":"web-1","method":"GET","path":"/api/v1/items/7","status":200,"bytes":5120,"duration":0.25}';

interface Load {
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** Posts the record over and over on 64 kept-alive connections. */
async function load(url: URL, headers: Readonly<Record<string, string>>): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const times: number[] = [];
  let left = REQUESTS;
  const post = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      const sent = request(url, { method: 'POST', agent, headers }, (response) => {
        response.resume().on('end', () => {
          times.push(performance.now() - started);
          if (response.statusCode === 200 || response.statusCode === 201) resolve();
          else reject(new Error(`status ${response.statusCode}`));
        });
      });
      sent.on('error', reject).end(RECORD);
    });
  const worker = async (): Promise<void> => {
    while (left-- > 0) await post();
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return { perSecond: REQUESTS / seconds, medianMs: at(0.5), p99Ms: at(0.99) };
}

describe('64 connections posting one record each', () => {
  it('tells requests a second beside a bare route', async () => {
    const bare = spawn(process.execPath, [join(import.meta.dirname, 'bare-route.mjs')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [port] = (await once(createInterface({ input: bare.stdout }), 'line')) as [string];
    const json = { 'content-type': 'application/json', 'content-length': String(RECORD.length) };
    const bareUrl = new URL(`http://127.0.0.1:${port}/take`);
    await load(bareUrl, json);
    const floor = await load(bareUrl, json);
    bare.kill();
    await once(bare, 'exit');

    const server = await startServer();
    const authorization = `Basic ${Buffer.from(`${ROOT.email}:${ROOT.password}`).toString('base64')}`;
    const url = new URL('/api/default/small/_json', server.url);
    await load(url, { ...json, authorization });
    const ours = await load(url, { ...json, authorization });
    await server.client.upload('small', '{"host":"last"}');
    expect(await server.client.count('small')).toBe(2 * REQUESTS + 1);
    await server.stop();

    const show = ({ perSecond, medianMs, p99Ms }: Load): string =>
      `${Math.round(perSecond).toLocaleString('en')} requests/s, median ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
    report(`${CONNECTIONS} connections, one record a request`, [
      ['bare Nest route', show(floor)],
      ['upload, durable when answered', show(ours)],
      ['ratio', (ours.perSecond / floor.perSecond).toFixed(2)],
    ]);
  }, 180_000);
});
