import type { Logger } from '../logging/logger.js';

/**
 * An unhandled failure ends the process, because the state that it leaves is unknown. One kind is
 * expected: lmdb rejects an inner promise of a failed commit, besides the one that its caller has.
 */
export function endOnUnhandledRejection(logger: Pick<Logger, 'fatal'>): void {
  process.on('unhandledRejection', (error) => {
    const { commitError } = (error ?? {}) as { readonly commitError?: Promise<never> };
    if (commitError) {
      commitError.catch(() => undefined);
      return;
    }
    logger.fatal({ err: error }, 'a failure nobody waited for');
    process.exit(1);
  });
}
