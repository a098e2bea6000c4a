import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { environment } from '../../bin/prepare.mjs';
import { printedLine } from './printed-line.mjs';

export const ROOT = { email: 'root@example.com', password: 'Root-Secret-1' };

const MAIN = join(import.meta.dirname, '../../dist/apps/api/main.js');

/**
 * Starts the built server on a free port, as its launcher does, and waits until it says that it
 * listens. Only its source maps are left out: to read them is a fifth of a start.
 */
export async function startProcess(options = {}) {
  const own = options.dataDirectory === undefined;
  const dataDirectory = options.dataDirectory ?? mkdtempSync(join(tmpdir(), 'millrace-'));
  const child = spawn(process.execPath, [options.main ?? MAIN], {
    env: {
      ...environment(),
      MILLRACE_HTTP_ADDR: '127.0.0.1:0',
      MILLRACE_DATA_DIR: dataDirectory,
      MILLRACE_ROOT_PASSWORD: ROOT.password,
      MILLRACE_LOG_LEVEL: 'fatal',
      // No proxy has to notice.
      MILLRACE_DRAIN_SECONDS: '0',
      // A server does not need to know how long tests go on.
      MILLRACE_CAMPAIGN: undefined,
      // With KAFKA_BROKERS set, the same specs run on Kafka, each server on topics of its own.
      KAFKA_NAMESPACE: basename(dataDirectory),
      ...options.variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const complaints = [];
  createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line));
  const printed = [];
  child.stdout.on('data', (bytes) => printed.push(bytes.toString()));
  const ended = exited.then(([code]) => {
    // The engine's process ends by itself, and writes until then.
    if (own) rmSync(dataDirectory, { recursive: true, force: true, maxRetries: 10 });
    return code;
  });
  const url = (await printedLine(child.stdout, /listens on (\S+)/))?.[1];
  if (url !== undefined)
    return {
      url,
      process: child,
      dataDirectory,
      ended,
      output: () => [...printed, ...complaints].join('\n'),
    };
  const code = await ended;
  throw new Error(
    `the server ended with code ${String(code)} before it listened: ${complaints.join('\n')}`,
  );
}
