import { ROOT, startServer } from '../server/start-server.js';
import { load as postAll, type Load } from './load.js';
import { startBare } from './bare-process.js';
import { report } from './report.js';

const SHORT = process.env.BENCH === 'short';
const CONNECTIONS = 64;
const REQUESTS = SHORT ? 800 : 20_000;
const RECORD =
  '{"host":"web-1","method":"GET","path":"/api/v1/items/7","status":200,"bytes":5120,"duration":0.25}';

const load = (url: URL, headers: Readonly<Record<string, string>>): Promise<Load> =>
  postAll({ url, headers, body: RECORD, connections: CONNECTIONS, requests: REQUESTS });

describe('64 connections posting one record each', () => {
  it('tells requests a second beside a bare route', async () => {
    const bare = await startBare('bare-route.mjs');
    const json = { 'content-type': 'application/json', 'content-length': String(RECORD.length) };
    const bareUrl = new URL('/take', bare.url);
    await load(bareUrl, json);
    const floor = await load(bareUrl, json);
    await bare.stop();

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
