import { join } from 'node:path';
import { LocalEngineProcess } from '../../libs/warehouse/local-engine/index.js';

/** The engine that reads uploads, for files below a folder. */
export const openLocalEngine = (folder: string): LocalEngineProcess =>
  new LocalEngineProcess({
    directory: join(folder, 'local-engine'),
    acceptors: 2,
    files: [folder],
    tell: () => undefined,
    stays: false,
  });
