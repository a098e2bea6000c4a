import type { AuthenticatedRequest } from '@app/platform';

/** Rows on their way to a stream. */
export interface Insert {
  readonly stream: string;
  readonly kind: 'json' | 'csv' | 'parquet' | 'arrow';
  /** Extracts the rows from the request's decoded body; undefined: the body has only rows. */
  readonly rowsOf: ((body: AsyncIterable<Buffer>) => AsyncIterable<Buffer>) | undefined;
}

export interface Inserted {
  readonly successful: number;
  readonly failed: number;
  /** The first reason. */
  readonly error: string | undefined;
}

/** Stores rows as any upload is stored. The app hands it in. */
export abstract class Inserts {
  /**
   * Resolves when the rows can be queried.
   * @throws {MillraceError} with nothing stored; FORBIDDEN if the caller may not upload to the
   *   stream
   */
  abstract store(request: AuthenticatedRequest, insert: Insert): Promise<Inserted>;
}
