import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openWarehouse } from '@app/warehouse';
import { acceptRecords, type SchemaKeeper } from '../../libs/acceptance/records/accept-records.js';
import type { AcceptedChunk, Chunk, ColumnarFile } from '../../libs/acceptance/records/chunk.js';
import { JUDGE, READING, rowsOf } from './batch-rows.js';
import { LIMITS } from './limits.js';

const ACCEPTED_AT = 1_767_225_600_000_000;

/** Acceptance with the real judge, and the engine to read what it made. */
export interface Acceptance {
  /** @param csv where lines are records of CSV */
  accept(
    keeper: SchemaKeeper,
    lines: readonly string[],
    csv?: Chunk['csv'],
  ): Promise<AcceptedChunk>;
  /** Lists the value of the expression for each row, sorted. The list is empty where nothing was written. */
  rows(columnar: ColumnarFile | undefined, expression: string): Promise<string[]>;
  /** The same in the order of the rows. */
  ordered(columnar: ColumnarFile | undefined, expression: string): Promise<string[]>;
  close(): Promise<void>;
}

export async function openAcceptance(): Promise<Acceptance> {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-accept-'));
  const { localEngine, warehouse } = await openWarehouse({
    clickHouse: undefined,
    directory,
    limits: LIMITS,
    readers: 1,
    acceptors: 2,
    files: [directory],
  });
  let files = 0;
  const ordered: Acceptance['ordered'] = async (columnar, expression) => {
    if (!columnar) return [];
    const answer = await localEngine.run(
      `SELECT toJSONString(groupArray(row)) FROM (SELECT ${expression} AS row FROM ${rowsOf(columnar)}) ${READING}`,
    );
    const found = JSON.parse(answer) as string[];
    expect(found).toHaveLength(columnar.rows);
    return found;
  };
  return {
    ordered,
    accept: (keeper, lines, csv) => {
      files += 1;
      const file = join(directory, `${files}.ndjson`);
      const text = lines.join('\n');
      writeFileSync(file, text);
      const chunk = { file, firstLine: 1, bytes: Buffer.byteLength(text), csv };
      return acceptRecords(JUDGE, keeper, chunk, {
        uploadId: 'u',
        stream: 'n',
        acceptedAt: ACCEPTED_AT,
      });
    },
    rows: async (columnar, expression) => (await ordered(columnar, expression)).sort(),
    close: async () => {
      await warehouse.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
