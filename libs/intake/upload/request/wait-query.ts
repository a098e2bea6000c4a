import { z } from 'zod';

/** The parameters of protocols whose clients may send others of their own, which are ignored. */
export const waitQuery = z.looseObject({
  /**
   * With this, the answer comes when the rows can be queried, not already when they are durable.
   */
  wait: z.enum(['true', 'false']).default('false'),
});
