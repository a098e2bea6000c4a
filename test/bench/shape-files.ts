import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Shape } from './shape.js';

/** A first upload of so many bytes makes the stream with all its columns. */
const WARM_BYTES = 2_000_000;
const SAMPLES = 60;
const WRITE_BYTES = 1024 * 1024;

export interface ShapeFiles {
  /** This file is uploaded. */
  readonly all: string;
  /** The same file without the records that are rejected: the engine alone can insert these. */
  readonly good: string;
  readonly bytes: number;
  readonly records: number;
  readonly rejected: number;
  /** The first good lines, with a line break behind each. */
  readonly warm: { readonly lines: string; readonly records: number };
  /** Some of the good lines, from all over the file. */
  readonly samples: readonly string[];
}

/** Writes so many bytes of a shape into a folder, and no more than a line and a piece at a time into memory. */
export async function writeShape(shape: Shape, folder: string, bytes: number): Promise<ShapeFiles> {
  const all = new LineFile(join(folder, 'all.ndjson'));
  const good = new LineFile(join(folder, 'good.ndjson'));
  const warm: string[] = [];
  const samples: string[] = [];
  let records = 0;
  let warmBytes = 0;
  for (; all.bytes < bytes; records += 1) {
    const line = `${shape.line(records)}\n`;
    await all.add(line);
    if (shape.isRejected(records)) continue;
    await good.add(line);
    if (warmBytes < WARM_BYTES) {
      warm.push(line);
      warmBytes += Buffer.byteLength(line);
    }
    if (all.bytes >= (samples.length * bytes) / SAMPLES) samples.push(line);
  }
  await Promise.all([all.end(), good.end()]);
  return {
    all: all.path,
    good: good.path,
    bytes: all.bytes,
    records,
    rejected: records - good.lines,
    warm: { lines: warm.join(''), records: warm.length },
    samples,
  };
}

class LineFile {
  bytes = 0;
  lines = 0;
  private text = '';
  private readonly file: WriteStream;

  constructor(readonly path: string) {
    this.file = createWriteStream(path);
  }

  async add(line: string): Promise<void> {
    this.text += line;
    this.bytes += Buffer.byteLength(line);
    this.lines += 1;
    if (this.text.length < WRITE_BYTES) return;
    if (!this.file.write(this.text)) await once(this.file, 'drain');
    this.text = '';
  }

  async end(): Promise<void> {
    this.file.end(this.text);
    await once(this.file, 'finish');
  }
}
