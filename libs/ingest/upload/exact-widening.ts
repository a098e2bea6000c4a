import { Injectable } from '@nestjs/common';
import { quoteIdentifier, WarehouseReader } from '@app/warehouse';
import type { StreamDescription } from '@app/streams';
import type { Survey } from '../accept/survey-records.js';
import { WriteProgress } from '../write/write-progress.js';

/** Integers up to here are exact as floats. */
const EXACT_FLOAT = '9007199254740992';

/**
 * An integer column becomes a float column when fractions come, unless it holds integers that
 * floats cannot: those must not change after they were stored. Then the fractions are rejected.
 */
@Injectable()
export class ExactWidening {
  constructor(
    private readonly reader: WarehouseReader,
    private readonly progress: WriteProgress,
  ) {}

  /** @returns the survey without the fractions that would widen a column which cannot be widened exactly. */
  async leaveOutInexact(
    { database, name, columns }: StreamDescription,
    survey: Survey,
  ): Promise<Survey> {
    const widening = columns.filter(
      (column) => column.type === 'Nullable(Int64)' && survey.get(column.name)?.has('Float64'),
    );
    if (widening.length === 0) return survey;
    // What waits in the queue is about to be in the table.
    await this.progress.allWritten();
    const checks = widening.map(({ name: column }) => {
      const value = quoteIdentifier(column);
      return `countIf(${value} > ${EXACT_FLOAT} OR ${value} < -${EXACT_FLOAT})`;
    });
    const answer = await this.reader.text({
      sql: `SELECT ${checks.join(', ')} FROM ${quoteIdentifier(name)}`,
      database,
      format: 'text',
    });
    const counts = answer.trim().split('\t').map(Number);
    const inexact = new Set(
      widening.filter((_, index) => (counts[index] ?? 0) > 0).map((column) => column.name),
    );
    return new Map(
      [...survey].map(([field, kinds]) => [
        field,
        inexact.has(field) ? new Map([...kinds].filter(([kind]) => kind !== 'Float64')) : kinds,
      ]),
    );
  }
}
