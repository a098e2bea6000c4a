export { look, type Difference, type Kept, type Look } from './look.js';
export type { LostAccount } from './lost-accounts.js';
export { reconcile } from './reconcile.pipeline.js';
export type { Mode } from './settle-streams.js';
