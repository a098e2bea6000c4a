import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../../server/free-port.mjs';
import { printedLine } from '../../server/printed-line.mjs';

const LOADER = join(import.meta.dirname, '../typescript.mjs');
const MAIN = join(import.meta.dirname, 'main.ts');
const USER = 'millrace';
const PASSWORD = 'Double-1:@/';

/** A ClickHouse server's double as a process of its own, on a data directory that it leaves as it is. */
export class ClickHouseDouble {
  private constructor(
    private readonly child: ChildProcess,
    readonly directory: string,
    readonly port: number,
  ) {}

  /** @param asked a port to come back on; a free one without it */
  static async start(directory: string, asked?: number): Promise<ClickHouseDouble> {
    const port = asked ?? (await freePort());
    const args = ['--import', LOADER, MAIN, '--port', String(port), '--dir', directory];
    const child = spawn(process.execPath, [...args, '--user', USER, '--password', PASSWORD], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const complaints: string[] = [];
    child.stderr.on('data', (bytes: Buffer) => complaints.push(bytes.toString()));
    const listening = await printedLine(child.stdout, /^listening (\d+)$/);
    if (!listening) throw new Error(`the double ended: ${complaints.join('')}`);
    return new ClickHouseDouble(child, directory, Number(listening[1]));
  }

  get url(): string {
    return `http://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${this.port}`;
  }

  stop(): Promise<void> {
    return this.end('SIGTERM');
  }

  kill(): Promise<void> {
    return this.end('SIGKILL');
  }

  /** Freezes it, with its connections open. */
  pause(): void {
    this.child.kill('SIGSTOP');
  }

  resume(): void {
    this.child.kill('SIGCONT');
  }

  private async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    await exited;
  }
}
