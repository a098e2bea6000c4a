import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Holding, type Workshop, readSourceCredentials } from '@app/edge';
import { openSourceEngine, type SourceEngine } from '@app/warehouse';

const NO_LIMITS = { readRows: 0, readBytes: 0, resultRows: 0, resultBytes: 0 };

/** An engine over files, and what tables are made of them with. */
interface SourcesUnderTest {
  readonly folder: string;
  readonly engine: SourceEngine;
  readonly workshop: Workshop;
}

/** Opens one in a folder of its own before the first test of a `describe`, and ends it after the last. */
export function sourcesUnderTest(): SourcesUnderTest {
  let opened: SourcesUnderTest | undefined;
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-sources-'));
    const engine = await openSourceEngine({
      directory: folder,
      limits: { ...NO_LIMITS, timeoutSeconds: 60, memoryBytes: 1024 ** 3 },
      readers: 1,
      definers: 1,
    });
    const workshop: Workshop = {
      engine,
      credentials: readSourceCredentials(),
      base: folder,
      directory: folder,
      stdin: Readable.from([]),
      holding: new Holding(),
      told: () => undefined,
      toldOfMemory: () => undefined,
      toldOfNulls: () => undefined,
      toldOfShort: () => undefined,
    };
    opened = { folder, engine, workshop };
  });
  afterAll(async () => {
    await opened?.engine.close();
    if (opened) rmSync(opened.folder, { recursive: true, force: true });
  });
  const now = (): SourcesUnderTest => {
    if (!opened) throw new Error('the engine is not open before the first test');
    return opened;
  };
  return {
    get folder() {
      return now().folder;
    },
    get engine() {
      return now().engine;
    },
    get workshop() {
      return now().workshop;
    },
  };
}
