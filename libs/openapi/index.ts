export type { ApiTerms } from './api-terms.js';
export { serveDocs } from './serve-docs.js';
