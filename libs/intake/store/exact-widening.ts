import { Injectable } from '@nestjs/common';
import { certain } from '@app/platform';
import { quoteIdentifier, WarehouseReader, type Column } from '@app/warehouse';
import { IngestQueue } from '@app/ingest-queue';
import { EXACT_FLOAT, meetsFractions, type StreamDescription } from '@app/streams';
import type { Survey } from '@app/acceptance';
import { WriteProgress } from '@app/writer';

const INTEGER = 'Nullable(Int64)';

/**
 * An integer column becomes a float column when fractions come, unless it holds integers that
 * floats cannot: those must not change after they were stored. Then the fractions are rejected. An
 * event marks columns that got such integers. This class looks for those that were stored before
 * there was such an event. If only this process puts batches on the queue, it also checks whether
 * such integers still exist.
 */
@Injectable()
export class ExactWidening {
  constructor(
    private readonly reader: WarehouseReader,
    private readonly progress: WriteProgress,
    private readonly queue: IngestQueue,
  ) {}

  /** @returns the survey without the fractions that would change stored integers. */
  async leaveOutInexact(
    { database, name, columns, exact: kept }: StreamDescription,
    survey: Survey,
  ): Promise<ExactSurvey> {
    const widening = columns.filter(
      (column) =>
        (!this.queue.isShared || !kept.includes(column.name)) && comesToFractions(column, survey),
    );
    if (widening.length === 0) return { survey, released: [] };
    // Batches that wait in the queue are about to be in the table.
    await this.progress.allWritten();
    const checks = widening.map(({ name: column, type }) => {
      const value = quoteIdentifier(column);
      return type === INTEGER
        ? `countIf(${beyond(value)})`
        : `countIf(arrayExists(v -> ifNull(${beyond('v')}, 0), ${value}))`;
    });
    const answer = await this.reader.text({
      sql: `SELECT ${checks.join(', ')} FROM ${quoteIdentifier(name)}`,
      database,
      format: 'text',
    });
    const counts = answer.trim().split('\t').map(Number);
    const inexact = new Set(
      widening
        .filter((_, index) => certain(counts[index], 'count of a column') > 0)
        .map((column) => column.name),
    );
    const types = new Map(widening.map(({ name: column, type }) => [column, type]));
    const left = new Map(
      [...survey].map(([field, kinds]) => {
        const type = inexact.has(field) ? types.get(field) : undefined;
        if (type === undefined) return [field, kinds];
        return [field, new Map([...kinds].filter(([kind]) => !meetsFractions(type, kind)))];
      }),
    );
    const names = widening.map(({ name: column }) => column);
    const released = names.filter((column) => kept.includes(column) && !inexact.has(column));
    return { survey: left, released };
  }
}

/** Tells which columns may change after a survey without a change of stored values. */
interface ExactSurvey {
  readonly survey: Survey;
  /** Columns that were marked to keep their type, and may widen nevertheless. */
  readonly released: readonly string[];
}

/** Tells whether the survey might widen a column of the stream. */
export function mayWiden({ columns }: StreamDescription, survey: Survey): boolean {
  return columns.some((column) => comesToFractions(column, survey));
}

function comesToFractions({ name, type }: Column, survey: Survey): boolean {
  const kinds = [...(survey.get(name)?.keys() ?? [])];
  return kinds.some((kind) => meetsFractions(type, kind));
}

const beyond = (value: string): string => `${value} > ${EXACT_FLOAT} OR ${value} < -${EXACT_FLOAT}`;
