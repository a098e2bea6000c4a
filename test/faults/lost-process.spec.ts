import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { environment } from '../../bin/prepare.mjs';
import { rounds } from '../rounds.js';
import { startServer } from '../server/start-server.js';

const TIMEOUT_MS = 120_000;
/** A supervisor sees it, and starts another one. */
const ENDS_MS = 10_000;
/** A library raises one of these signals and the processor the other; a campaign has all of them. */
const SIGNALS = (['SIGABRT', 'SIGSEGV', 'SIGILL', 'SIGBUS', 'SIGTRAP', 'SIGFPE'] as const).slice(
  0,
  rounds(2, 6),
);
const ROOT = join(import.meta.dirname, '../..');

describe('a process that is lost', () => {
  it.each(SIGNALS)(
    'by %s ends at once, and leaves no core dump',
    async (signal) => {
      const dataDirectory = mkdtempSync(join(tmpdir(), 'millrace-lost-'));
      const server = await startServer({ dataDirectory });
      await server.client.upload('logs', [{ n: 1 }]);
      expect(await server.client.count('logs')).toBe(1);
      const ended = once(server.process, 'exit');
      const startedAt = performance.now();
      server.process.kill(signal);
      expect(await ended).toEqual([null, signal]);
      expect(performance.now() - startedAt).toBeLessThan(ENDS_MS);
      expect(readdirSync(dataDirectory).filter((name) => name.startsWith('core'))).toEqual([]);
      rmSync(dataDirectory, { recursive: true, force: true });
    },
    TIMEOUT_MS,
  );

  it(
    'for want of memory in its heap ends at once, with the engine loaded',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'millrace-lost-'));
      const child = spawn(
        process.execPath,
        [
          '--max-old-space-size=200',
          '--import',
          './test/doubles/typescript.mjs',
          'test/faults/lost/exhaust-heap.ts',
          directory,
        ],
        { cwd: ROOT, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] },
      );
      const complaints: string[] = [];
      let outOfHeapAt = Infinity;
      createInterface({ input: child.stderr }).on('line', (line) => {
        complaints.push(line);
        if (line.includes('heap out of memory')) outOfHeapAt = performance.now();
      });
      const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
      expect([code, signal, complaints.join('\n')]).toEqual([
        null,
        'SIGABRT',
        expect.stringContaining('heap out of memory'),
      ]);
      expect(performance.now() - outOfHeapAt).toBeLessThan(ENDS_MS);
      expect(existsSync(join(ROOT, 'core'))).toBe(false);
      rmSync(directory, { recursive: true, force: true });
    },
    TIMEOUT_MS,
  );

  it(
    'by a failure that nobody catches ends at once',
    async () => {
      const child = spawn(
        process.execPath,
        [
          '--import',
          './test/doubles/typescript.mjs',
          '--input-type=module',
          '-e',
          `const { Engine } = await import('./libs/warehouse/chdb/engine.ts');
         const directory = (await import('node:fs')).mkdtempSync('${join(tmpdir(), 'millrace-lost-')}');
         new Engine(directory);
         console.log(directory);
         setTimeout(() => { throw new Error('nobody catches this'); }, 1);`,
        ],
        { cwd: ROOT, env: environment(), stdio: ['ignore', 'pipe', 'ignore'] },
      );
      const [ready] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const startedAt = performance.now();
      expect(await once(child, 'exit')).toEqual([1, null]);
      expect(performance.now() - startedAt).toBeLessThan(ENDS_MS);
      rmSync(ready, { recursive: true, force: true });
    },
    TIMEOUT_MS,
  );
});
