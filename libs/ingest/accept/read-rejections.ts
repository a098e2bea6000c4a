import { quoteText, type LocalEngine } from '@app/warehouse';
import type { RejectedRecords, Rejection } from './chunk.js';
import { STRUCTURAL } from './structural.js';

/** Every rejection of a chunk, by line. Before the file is handed to the queue. */
export async function readRejections(
  engine: LocalEngine,
  { file, first }: RejectedRecords,
): Promise<Rejection[]> {
  const answer = await engine.run(
    'SELECT toJSONString(groupArray((reason, lines))) FROM' +
      ` (SELECT reason, groupArray(toFloat64(line)) AS lines FROM file(${quoteText(file)}, Native) GROUP BY reason) SETTINGS input_format_skip_unknown_fields = 1`,
  );
  const byReason = JSON.parse(answer) as [string, number[]][];
  return byReason
    .flatMap(([reason, lines]) =>
      lines.map((line) => ({
        line,
        // The first one is explained in more detail.
        reason: plainReason(line === first.line ? first.reason : reason),
      })),
    )
    .sort((a, b) => a.line - b.line);
}

/** A reason as clients are told it. */
export const plainReason = (reason: string): string =>
  reason.startsWith(STRUCTURAL) ? reason.slice(STRUCTURAL.length) : reason;
