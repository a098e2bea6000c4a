import { Session } from 'chdb';
import type { QueryLimits, WarehouseReader } from '@app/warehouse';
import { Engine } from '../../libs/warehouse/chdb/engine.js';
import { openReader } from '../../libs/warehouse/chdb/open-reader.js';

export interface ReaderInProcess {
  readonly reader: WarehouseReader;
  close(): Promise<void>;
}

/** The reader that the edge program has, on an engine in this process. */
export function openReaderInProcess(
  directory: string,
  limits: QueryLimits,
  readers: number,
): ReaderInProcess {
  const engine = new Engine(directory);
  const control = new Session(engine.path);
  const reader = openReader(engine, control, { directory, limits, readers });
  const close = async (): Promise<void> => {
    await reader.close();
    await engine.close(() => {
      control.close();
      return Promise.resolve();
    });
  };
  return { reader, close };
}
