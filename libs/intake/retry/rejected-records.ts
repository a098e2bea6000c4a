import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import {
  quoteText,
  REJECTED_TABLE,
  REMOVED_AT_ONCE,
  STREAM_COLUMN,
  WarehouseReader,
  WHOLE_RESULT,
  type RejectedRows,
} from '@app/warehouse';

/** Place of a rejected record: the position of its batch and its number in it. */
export type RejectedPlace = readonly [partition: number, offset: string, row: number];

/** Selects some of an organization's rejected records. */
export interface RejectedOf {
  readonly database: string;
  readonly streamId: string;
  /** Undefined means: of all uploads. */
  readonly uploadId: string | undefined;
}

const BYTES_AT_ONCE = 16 * 1024 * 1024;
const PLACE = '(_partition, _offset, _row)';

/** Reads `_rejected` in the order in which records were refused. */
@Injectable()
export class RejectedRecords {
  constructor(private readonly reader: WarehouseReader) {}

  /**
   * The next records after a place: at most as many as one removal can name and a chunk can hold,
   * and at least one.
   */
  async after(of: RejectedOf, place: RejectedPlace | undefined): Promise<readonly RejectedPlace[]> {
    const answer = await this.reader.text({
      database: of.database,
      format: 'text',
      sql:
        'SELECT toJSONString(groupArray((p, o, r))) FROM (SELECT p, o, r, size,' +
        ' sum(size) OVER (ORDER BY number ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS bytes FROM' +
        ' (SELECT _partition AS p, toString(_offset) AS o, _row AS r, length(record) AS size, rowNumberInAllBlocks() AS number' +
        ` FROM (SELECT _partition, _offset, _row, record FROM ${REJECTED_TABLE} WHERE ${condition(of)}` +
        `${place ? ` AND ${PLACE} > ${tuple(place)}` : ''} ORDER BY ${PLACE} LIMIT ${REMOVED_AT_ONCE})))` +
        ` WHERE bytes = size OR bytes <= ${BYTES_AT_ONCE}`,
    });
    return JSON.parse(answer) as RejectedPlace[];
  }

  /** Writes the records of these places, a line each, in their order. */
  async write(of: RejectedOf, places: readonly RejectedPlace[], file: string): Promise<void> {
    const [first, last] = [places[0], places.at(-1)];
    if (!first || !last) return;
    const lines = await this.reader.stream({
      database: of.database,
      format: 'text',
      settings: WHOLE_RESULT,
      sql:
        `SELECT record FROM ${REJECTED_TABLE} WHERE ${condition(of)}` +
        ` AND ${PLACE} >= ${tuple(first)} AND ${PLACE} <= ${tuple(last)} ORDER BY ${PLACE}`,
    });
    await pipeline(lines, createWriteStream(file));
  }

  /** The upload that a record came with, and its line there. */
  async originOf(of: RejectedOf, place: RejectedPlace): Promise<string> {
    const answer = await this.reader.text({
      database: of.database,
      format: 'text',
      sql: `SELECT line, upload_id FROM ${REJECTED_TABLE} WHERE ${condition(of)} AND ${PLACE} = ${tuple(place)} LIMIT 1`,
    });
    const [line = '', upload = ''] = answer.trim().split('\t');
    return `line ${line} of upload ${upload}`;
  }
}

const tuple = ([partition, offset, row]: RejectedPlace): string =>
  `(${partition}, ${offset}, ${row})`;

function condition({ streamId, uploadId }: RejectedOf): string {
  const ofStream = `${STREAM_COLUMN} = ${quoteText(streamId)}`;
  return uploadId === undefined ? ofStream : `${ofStream} AND upload_id = ${quoteText(uploadId)}`;
}

/** The places, grouped by their batches. */
export function byBatch(places: readonly RejectedPlace[]): readonly RejectedRows[] {
  const batches = new Map<string, RejectedRows & { readonly rows: number[] }>();
  for (const [partition, offset, row] of places) {
    const key = `${partition}/${offset}`;
    const batch = batches.get(key) ?? { partition, offset: BigInt(offset), rows: [] };
    batch.rows.push(row);
    batches.set(key, batch);
  }
  return [...batches.values()];
}
