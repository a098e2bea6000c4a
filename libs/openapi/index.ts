export { serveOpenApi, type ApiTerms, type PathParameter } from './serve-openapi.js';
