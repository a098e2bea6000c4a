import type { Logger } from '@nestjs/common';
import { MillraceError } from '@app/platform';

/**
 * Does what a start does to accounts and organizations. It must not end where an event of one of
 * them is not understood, since all others go on.
 */
export async function unlessUntold(logger: Logger, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof MillraceError && error.kind === 'EVENT_NOT_UNDERSTOOD')) throw error;
    logger.error(`left undone at this start: ${error.message} (${error.detail ?? ''})`);
  }
}
