import type { RequestOrganization } from '@app/platform';

/** Describes how far a stream's rows are written. */
export interface WrittenTo {
  /** The stream's id: another stream may have its name later. */
  readonly streamId: string;
  /** The partition of the ingest queue; all new rows of the stream come through it. */
  readonly partition: number;
  /** All rows before this offset are in the table, and no further rows will come there. */
  readonly offset: bigint;
}

/** Gives a tail the facts that it needs besides the rows. The app hands it in. */
export abstract class TailSource {
  /**
   * @returns undefined if the stream does not exist for the caller
   * @throws {MillraceError} QUEUE_UNAVAILABLE
   */
  abstract written(
    organization: RequestOrganization,
    stream: string,
  ): Promise<WrittenTo | undefined>;
}
