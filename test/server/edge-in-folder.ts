import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEdge, type Edge } from './start-edge.js';

interface EdgeInFolder {
  /** The folder that it runs in; it is there from the beginning. */
  readonly folder: string;
  /** The program; it is there when the suite's tests run. */
  readonly edge: Edge;
}

/** Lets an edge program of the suite's own run in a folder of its own, with one small table at first. */
export function edgeInFolder(prefix: string): EdgeInFolder {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  let edge: Edge | undefined;
  beforeAll(async () => {
    writeFileSync(join(folder, 'first.csv'), 'a\n1\n');
    edge = await startEdge(['-t', 'first.csv'], { directory: folder });
  });
  afterAll(async () => {
    await edge?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    get edge() {
      if (!edge) throw new Error('the edge program has not started');
      return edge;
    },
  };
}
