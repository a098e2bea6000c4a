import type { AuthenticatedRequest } from '@app/platform';

/** Rows on their way to a stream. */
export interface Insert {
  readonly stream: string;
  readonly kind: 'json' | 'csv' | 'parquet' | 'arrow';
  /** Takes the rows out of the request's body, decoded; undefined: they are all of it. */
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
   * @throws {MillraceError} with nothing stored; FORBIDDEN to whom may not upload to the stream
   */
  abstract store(request: AuthenticatedRequest, insert: Insert): Promise<Inserted>;
}
