import type { Engine, EngineOptions } from './chdb/index.js';
import type { ColumnarBlock, LocalEngine } from './warehouse.js';

/**
 * The engine of acceptance, opened with the first statement: only CSV and tables need it, and it
 * takes a good part of a start and of the memory. What is in its directory is never read again.
 */
export class EngineWhenNeeded implements LocalEngine {
  private opened: Promise<Engine> | undefined;
  private closed = false;

  constructor(private readonly options: EngineOptions) {}

  async run(sql: string, params?: Readonly<Record<string, string>>): Promise<string> {
    return (await this.engine()).localEngine.run(sql, params);
  }

  async *blocks(sql: string): AsyncGenerator<ColumnarBlock> {
    yield* (await this.engine()).localEngine.blocks(sql);
  }

  async close(): Promise<void> {
    this.closed = true;
    const engine = await this.opened?.catch(() => undefined);
    await engine?.close();
  }

  /** One that could not be opened is tried again. */
  private engine(): Promise<Engine> {
    if (this.closed) return Promise.reject(new Error('the engine is closed'));
    const opening = (this.opened ??= this.open());
    opening.catch(() => (this.opened = undefined));
    return opening;
  }

  private async open(): Promise<Engine> {
    const { Engine } = await import('./chdb/index.js');
    return new Engine(this.options);
  }
}
