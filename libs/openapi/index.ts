export type { ApiTerms, PathParameter } from './api-terms.js';
export { serveDocs } from './serve-docs.js';
