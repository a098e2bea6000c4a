import type { Readable } from 'node:stream';
import { toHits } from '../search/hits.js';

/** A row in search's form, and its place. */
export interface TailRow {
  readonly offset: bigint;
  readonly row: number;
  readonly hit: string;
}

export interface TailRows {
  readonly rows: readonly TailRow[];
  /** True if there may be more rows. */
  readonly isCut: boolean;
}

const PLACED = /^\{"_offset":"?(\d+)"?,"_row":(\d+),(.*)\}$/s;

/**
 * Takes lines until they have so many bytes, and at least one; the rest is not read, which ends the
 * query. So the memory of a tail is bounded, whatever the rows are.
 */
export async function readRows(lines: Readable, bytesMax: number): Promise<TailRows> {
  const rows: TailRow[] = [];
  let bytes = 0;
  let rest: Buffer[] = [];
  try {
    for await (const chunk of lines as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        const line = Buffer.concat([...rest, chunk.subarray(from, end)]);
        rest = [];
        from = end + 1;
        rows.push(readRow(line.toString()));
        bytes += line.length;
        if (bytes >= bytesMax) return { rows, isCut: true };
      }
      // A copy is needed, because the block is freed when the next one is asked for.
      if (from < chunk.length) rest.push(Buffer.from(chunk.subarray(from)));
    }
  } finally {
    lines.destroy();
  }
  return { rows, isCut: false };
}

function readRow(line: string): TailRow {
  const [, offset, row, fields] = PLACED.exec(line) ?? [];
  const [hit] = fields === undefined ? [] : toHits(`{${fields}}`);
  if (offset === undefined || hit === undefined) throw new Error('a row of a tail has no place');
  return { offset: BigInt(offset), row: Number(row), hit };
}
