import type { Logger } from '@nestjs/common';
import { MillraceError } from '@app/platform';

/**
 * Does the changes of a start to accounts and organizations. An event of one of them that is not
 * understood must not stop the start, since all others go on.
 */
export async function unlessUntold(logger: Logger, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof MillraceError && error.kind === 'EVENT_NOT_UNDERSTOOD')) throw error;
    logger.error(`left undone at this start: ${error.message} (${error.detail ?? ''})`);
  }
}
