// Runs a command with KAFKA_BROKERS set to a broker of its own:
// `node test/server/kafka/with-kafka.mjs npm run test:e2e`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKafka } from './kafka.mjs';

const [command, ...args] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), 'millrace-kafka-'));
const kafka = await startKafka({ directory });
try {
  const child = spawn(command, args, {
    stdio: 'inherit',
    env: { ...process.env, KAFKA_BROKERS: kafka.brokers },
  });
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
} finally {
  kafka.process.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
}
