import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { borrowFrom } from '../server/borrow-server.js';
import { startKeeper, type Keeper } from '../server/lent/start-keeper.mjs';
import { until } from '../server/until.js';

const runs = (pid: number): boolean => existsSync(`/proc/${pid}`);

describe('a server that suites borrow', () => {
  let keeper: Keeper;
  beforeAll(async () => {
    keeper = await startKeeper();
  });
  afterAll(() => keeper.stop());

  const borrow = (worker = '1') => borrowFrom(keeper.socket, worker);

  it('is the same for the next suite, which finds nothing of the one before', async () => {
    const first = await borrow();
    await first.client.upload('logs', [{ a: 1 }]);
    expect(await first.client.count('logs')).toBe(1);
    await first.giveBack();
    const second = await borrow();
    expect(second.pid).toBe(first.pid);
    expect((await second.client.call('streams')).json()).toMatchObject({ list: [] });
    expect((await first.client.call('logs/schema')).status).toBe(404);
    await second.giveBack();
  });

  it('that has ended is named by who had it; the next suite has another', async () => {
    const ended = await borrow();
    process.kill(ended.pid, 'SIGKILL');
    await until(() => Promise.resolve(!runs(ended.pid)));
    await expect(ended.giveBack()).rejects.toThrow('the lent server has ended');
    const next = await borrow();
    await next.client.upload('logs', [{ a: 1 }]);
    await next.giveBack();
  });

  it('that was not given back is not lent again', async () => {
    const kept = await borrow();
    const next = await borrow();
    expect(next.pid).not.toBe(kept.pid);
    expect(runs(kept.pid)).toBe(false);
    await next.giveBack();
  });

  it('ends when the process that lends it is left alone, however', async () => {
    // Stands for jest: it is killed, and has no time to end anything.
    const start = join(import.meta.dirname, '../server/lent/start-keeper.mjs');
    const script = `console.log((await (await import(${JSON.stringify(start)})).startKeeper()).socket)`;
    const jest = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const socket = await new Promise<string>((resolve) =>
      jest.stdout.once('data', (bytes: Buffer) => resolve(bytes.toString().trim())),
    );
    const { pid } = await borrowFrom(socket, '1');
    expect(runs(pid)).toBe(true);
    jest.kill('SIGKILL');
    await until(() => Promise.resolve(!runs(pid)));
  });
});
