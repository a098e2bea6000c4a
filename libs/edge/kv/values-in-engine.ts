import type { Logger } from '@app/platform';
import type { Workshop } from '../registry/prepare/open-source.js';
import type { Values } from './values.js';

/** Values in a table of the engine, in the order of their keys. The disk limits their number. */
export class ValuesInEngine implements Values {
  readonly bytes = 0;
  /** Look-ups that are using the table now. */
  private readers = 0;
  private isOld = false;

  /** @param table quoted; it is dropped together with these values */
  constructor(
    private readonly table: string,
    private readonly engine: Workshop['engine'],
    private readonly logger: Logger,
  ) {}

  async get(key: string, signal: () => AbortSignal): Promise<string | undefined> {
    this.readers += 1;
    try {
      const line = await this.engine.reader.text({
        sql: `SELECT v FROM ${this.table} WHERE k = {key:String}`,
        params: { key },
        format: 'text',
        signal: signal(),
      });
      // The engine ends each row with a line break; an answer without one has no row.
      return line.endsWith('\n') ? line.slice(0, -1) : undefined;
    } finally {
      this.readers -= 1;
      this.dropUnread();
    }
  }

  drop(): void {
    this.isOld = true;
    this.dropUnread();
  }

  private dropUnread(): void {
    if (!this.isOld || this.readers > 0) return;
    this.engine.statements
      .run(`DROP TABLE IF EXISTS ${this.table}`)
      .catch((error: unknown) => this.logger.error({ err: error }, 'an old copy of a store stays'));
  }
}
