export { Backoff } from './backoff.js';
export { Crowded, FairTurns } from './fair-turns.js';
export { RateLimiter } from './rate-limiter.js';
export { introspectionCost, selectedFields } from './graphql-cost.js';
export { Semaphore } from './semaphore.js';
export { FairSemaphore } from './fair-semaphore.js';
export { KeyedMutex } from './keyed-mutex.js';
export { within } from './within.js';
