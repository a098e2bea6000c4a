import { Injectable } from '@nestjs/common';
import { LocalEngine, type RowFile, type RowFiles } from '@app/warehouse';
import { FairSemaphore } from '@app/flow';

/** Statements over small files, and over large ones, that run at once. */
export const ENGINE_SLOTS = { small: 2, large: 2 } as const;

/**
 * Files of tables that are read at once. A large one takes long and cannot be interrupted, so no
 * organization may have all the places.
 */
const TABLES = { all: 2, each: 1 } as const;

const SMALL_BYTES = 256 * 1024;

/**
 * The engine that acceptance uses, shared out fairly: what is small does not wait behind what is
 * large, and organizations take turns in both.
 */
@Injectable()
export class FairEngine {
  private readonly small = new FairSemaphore(ENGINE_SLOTS.small);
  private readonly large = new FairSemaphore(ENGINE_SLOTS.large);
  private readonly tables = new FairSemaphore(TABLES.all, undefined, TABLES.each);

  constructor(private readonly engine: LocalEngine) {}

  /** Statements that wait for their turn. */
  get waiting(): number {
    return this.small.waiting + this.large.waiting + this.tables.waiting;
  }

  /** The engine for so many bytes of an upload. Of one organization's, the oldest goes first, so that uploads end instead of all going on. */
  for(share: string, uploadId: string, bytes: number): LocalEngine {
    const [own, other] = bytes <= SMALL_BYTES ? [this.small, this.large] : [this.large, this.small];
    return {
      run: (sql, params) => {
        other.notice(share);
        return own.use(share, uploadId, () => this.engine.run(sql, params));
      },
      spool: (sql, files) => this.spool(share, uploadId, sql, files),
    };
  }

  /**
   * Statements run between files, so they have slots of their own. Otherwise they would wait for
   * this work to end.
   */
  private async *spool(
    share: string,
    uploadId: string,
    sql: string,
    files: RowFiles,
  ): AsyncGenerator<RowFile> {
    const end = await this.tables.begin(share, uploadId);
    try {
      yield* this.engine.spool(sql, files);
    } finally {
      end();
    }
  }
}
