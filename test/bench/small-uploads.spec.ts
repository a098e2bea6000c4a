import { ROOT, startServer } from '../server/start-server.js';
import { startBare } from './bare-process.js';
import { hammered, type Hammered, type SmallRequest } from './hammered.js';
import { report } from './report.js';

const SHORT = process.env.BENCH === 'short';
const LOAD = { connections: 64, seconds: SHORT ? 0.3 : 5 };
/** The server is measured when its code has been compiled. */
const WARM_UPS = SHORT ? 1 : 2;
const RECORD =
  '{"host":"web-1","method":"GET","path":"/api/v1/items/7","status":200,"bytes":5120,"duration":0.25}';

describe('64 connections posting one record each', () => {
  it('tells requests a second beside a bare route', async () => {
    const post = (path: string, headers: Readonly<Record<string, string>>): SmallRequest => ({
      name: path,
      method: 'POST',
      path,
      body: RECORD,
      headers: { 'Content-Type': 'application/json', ...headers },
    });

    const bare = await startBare('bare-route.mjs');
    const take = { ...post('/take', {}), status: 201 };
    await hammered(bare, take, LOAD);
    const floor = await hammered(bare, take, LOAD);
    await bare.stop();

    const server = await startServer();
    const program = { url: server.url, pid: server.process.pid ?? 0 };
    const authorization = `Basic ${Buffer.from(`${ROOT.email}:${ROOT.password}`).toString('base64')}`;
    const upload = post('/api/default/small/_json', { Authorization: authorization });
    let stored = 1;
    for (let run = 0; run < WARM_UPS; run += 1)
      stored += (await hammered(program, upload, LOAD)).requests;
    const ours = await hammered(program, upload, LOAD);
    await server.client.upload('small', '{"host":"last"}');
    expect(await server.client.count('small')).toBe(stored + ours.requests);
    await server.stop();

    const show = ({ perSecond, microseconds, medianMs, p99Ms }: Hammered): string =>
      `${Math.round(perSecond).toLocaleString('en')} requests/s, ${Math.round(microseconds)} µs of processor time each, median ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
    report(`${LOAD.connections} connections, one record a request`, [
      ['bare Nest route', show(floor)],
      ['upload, durable when answered', show(ours)],
      ['ratio', (ours.perSecond / floor.perSecond).toFixed(2)],
    ]);
  }, 180_000);
});
