import type { SourceEngine, SourceEngineOptions } from './source-engine.js';

/** Starts the engine in this process. @throws when the directory is in use */
export async function openSourceEngine(options: SourceEngineOptions): Promise<SourceEngine> {
  const { openChdbSources } = await import('./chdb/index.js');
  return openChdbSources(options);
}
