export { type ApiTerms, REQUEST_ID } from './api-terms.js';
export { serveDocs } from './serve-docs.js';
