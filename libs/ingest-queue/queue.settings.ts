import { positive } from '@app/settings';

const GIB = 1024 ** 3;

/** The most bytes that the queue holds. */
export const queueVariables = { MILLRACE_QUEUE_MAX_BYTES: positive(8 * GIB) };
