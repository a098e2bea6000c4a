import { beyondFloat, COLUMNS_MAX, EXACT_FLOAT } from '@app/streams';
import { quoteText, type LocalEngine } from '@app/warehouse';
import { FIELDS, kindOf } from './field-kind.sql.js';

/** For every field: how many of its values are of which kind. Kinds are the engine's names of dynamic types, and `beyondFloat` of those. */
export type Survey = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Field, kind, number of values, whether any is beyond what floats have. */
type Row = readonly [string, string, number | string, 0 | 1];

const beyond = (raw: string): string => `ifNull(abs(toInt64OrNull(${raw})) > ${EXACT_FLOAT}, 0)`;
const BEYOND = `multiIf(kind = 'Int64', ${beyond('f.2')}, kind = 'Array(Nullable(Int64))', arrayExists(e -> ${beyond('e')}, JSONExtractArrayRaw(f.2)), 0)`;

/** More distinct fields than any stream may have; the rest is left out of the survey and so refused. */
const FIELDS_MAX = 20_000;

/** Looks at every field of the records in `file`, or of the first `lines` of them. Lines that are no objects, or have more fields than any stream, count for nothing. */
export async function surveyRecords(
  engine: LocalEngine,
  file: string,
  lines?: number,
): Promise<Survey> {
  const answer = await engine.run(surveySql(file, lines));
  const survey = new Map<string, Map<string, number>>();
  for (const [field, kind, count, beyond] of JSON.parse(answer) as Row[]) {
    const kinds = survey.get(field) ?? new Map<string, number>();
    kinds.set(kind, Number(count));
    if (beyond > 0) kinds.set(beyondFloat(kind), beyond);
    survey.set(field, kinds);
  }
  return survey;
}

/** Whether a record may have this field. */
export function mayHave(survey: Survey, field: string): boolean {
  const counted = [...survey.values()].reduce((sum, kinds) => sum + kinds.size, 0);
  return survey.has(field) || counted >= FIELDS_MAX;
}

export function surveySql(file: string, lines?: number): string {
  const source =
    `SELECT rowNumberInAllBlocks() AS number, line FROM file(${quoteText(file)}, LineAsString)` +
    (lines === undefined ? '' : ` LIMIT ${lines}`);
  return (
    'SELECT toJSONString(groupArray((field, kind, number_of, beyond))) FROM' +
    ` (SELECT f.1 AS field, ${kindOf('f.2')} AS kind, count() AS number_of, max(${BEYOND}) AS beyond, min((number, place)) AS first` +
    ` FROM (SELECT number, ${FIELDS} AS fields FROM (${source}) WHERE JSONType(line) = 'Object' AND JSONLength(line) <= ${COLUMNS_MAX})` +
    ' ARRAY JOIN fields AS f, arrayEnumerate(fields) AS place' +
    // Columns stand in the order in which their fields first came.
    ` GROUP BY field, kind ORDER BY first LIMIT ${FIELDS_MAX})`
  );
}
