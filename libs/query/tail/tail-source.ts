import type { RequestOrganization } from '@app/platform';

/** Tells how far a stream's rows are written. */
export interface WrittenTo {
  /** The stream's id: another stream may have its name later. */
  readonly streamId: string;
  /** The partition of the ingest queue; all new rows of the stream come through it. */
  readonly partition: number;
  /** All rows before this offset are in the table, and nothing comes there any more. */
  readonly offset: bigint;
}

/** Tells a tail what it must know besides the rows. The app hands it in. */
export abstract class TailSource {
  /**
   * @returns undefined where there is no such stream for the caller
   * @throws {MillraceError} QUEUE_UNAVAILABLE
   */
  abstract written(
    organization: RequestOrganization,
    stream: string,
  ): Promise<WrittenTo | undefined>;
}
