import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certain } from '@app/platform';
import { startKafka, type MoreListeners } from './kafka.mjs';

export interface Broker {
  readonly brokers: string;
  dispose(): Promise<void>;
}

/**
 * The broker that this run has (see with-kafka.mjs), or one of the test's own. It is for tests that
 * do not harm it, and that have a namespace of their own.
 */
export async function sharedBroker(): Promise<Broker> {
  const brokers = process.env.KAFKA_BROKERS;
  return brokers === undefined
    ? KafkaServer.start()
    : { brokers, dispose: () => Promise.resolve() };
}

/** A broker of a test's own: the real thing, on a free port, its data in a temporary folder. */
export class KafkaServer {
  private constructor(
    private readonly directory: string,
    private running: Awaited<ReturnType<typeof startKafka>>,
  ) {}

  static async start(more?: MoreListeners): Promise<KafkaServer> {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-kafka-'));
    return new KafkaServer(directory, await startKafka({ directory, ...(more ? { more } : {}) }));
  }

  get brokers(): string {
    return this.running.brokers;
  }

  /** @throws when it has ended. */
  get pid(): number {
    return certain(this.running.process.pid, 'broker’s process');
  }

  pause(): void {
    this.running.process.kill('SIGSTOP');
  }

  resume(): void {
    this.running.process.kill('SIGCONT');
  }

  /** SIGKILL; it can be started again. */
  async kill(): Promise<void> {
    const exited = once(this.running.process, 'exit');
    this.running.process.kill('SIGKILL');
    await exited;
  }

  /** Starts the broker again on the same port, with the same data. */
  async restart(): Promise<void> {
    this.running = await startKafka({ directory: this.directory });
  }

  async dispose(): Promise<void> {
    if (this.running.process.exitCode === null && this.running.process.signalCode === null)
      await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
