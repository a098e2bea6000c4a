export { openChdbSources } from './open-chdb-sources.js';
