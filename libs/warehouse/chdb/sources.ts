export { openChdbSources, type SourceEngineOptions } from './open-chdb-sources.js';
