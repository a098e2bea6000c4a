import { randomUUID } from 'node:crypto';
import { DoubleError } from './double-error.js';

export interface RunningQuery {
  readonly id: string;
  readonly user: string;
  /** It is empty until the statement is read. */
  text: string;
  readonly began: number;
  /** It is aborted when somebody kills the query, or when its client is gone. */
  readonly gone: AbortController;
  /** Resolves when it has ended, however. */
  readonly ended: Promise<void>;
  end(): void;
}

/**
 * `system.processes` lists these queries and `KILL QUERY` ends them. The embedded engine itself
 * knows no query ids.
 */
export class RunningQueries {
  private readonly running = new Map<string, RunningQuery>();

  begin(id: string = randomUUID(), user: string): RunningQuery {
    if (this.running.has(id))
      throw new DoubleError(216, 'QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING', `Query with id = ${id} is already running.`); // prettier-ignore
    let ended = (): void => undefined;
    const query: RunningQuery = {
      id,
      user,
      text: '',
      began: performance.now(),
      gone: new AbortController(),
      ended: new Promise((resolve) => (ended = resolve)),
      end: () => {
        this.running.delete(id);
        ended();
      },
    };
    this.running.set(id, query);
    return query;
  }

  all(): readonly RunningQuery[] {
    return [...this.running.values()];
  }
}

/** The beginnings of texts are enough. */
const TEXT_MAX = 1000;

/** Writes the queries as a table function's arguments, for statements that read `system.processes`. */
export function asValues(queries: readonly RunningQuery[]): string {
  const text = (value: string): string => `'${value.replace(/[\\']/g, '\\$&')}'`;
  const rows = queries.map(
    ({ id, user, began, text: query }) =>
      `(${text(id)}, ${text(user)}, ${(performance.now() - began) / 1000}, 0, ${text(query.slice(0, TEXT_MAX))})`,
  );
  const none = "('', '', 0, 0, '')";
  return `(SELECT * FROM values('query_id String, user String, elapsed Float64, is_cancelled UInt8, query String', ${[...rows, none].join(', ')}) WHERE query_id != '')`;
}
