import { namedByHeader, type SourceEngine } from '@app/warehouse';
import { settingsClause, type Source } from '../../sources/source.js';

/**
 * A source of CSV whose first row leaves a column without a name, as pandas does with its index, or
 * names two columns alike, is read by the places of its columns. By their names the engine leaves
 * the one column out and refuses the others.
 */
export async function namedByPlace(
  source: Source,
  statements: SourceEngine['statements'],
): Promise<Source> {
  const { header } = source;
  // Columns of several files are put together by their names.
  if (!header || source.many) return source;
  const settings = { ...header.settings, input_format_csv_detect_header: '0' };
  // A name such as 007 is a text.
  const asTexts = { ...settings, input_format_csv_use_best_effort_in_schema_inference: '0' };
  const sql = `SELECT * FROM ${header.call(undefined)} LIMIT 1${settingsClause(asTexts)} FORMAT JSONCompactEachRow`;
  // A file that cannot be read so fails with its reason when its columns are asked for.
  const row = await statements.run(sql).catch(() => '');
  const written = row === '' ? [] : (JSON.parse(row) as readonly (string | null)[]);
  const names = written.map((name) => (name ?? '').trim());
  const isNamed = !names.includes('') && new Set(names).size === names.length;
  // A name of two lines would be passed over by its first line alone.
  if (isNamed || names.some((name) => name.includes('\n'))) return source;
  return {
    ...source,
    call: header.call,
    settings: { ...settings, input_format_csv_skip_first_lines: '1' },
    // Columns of several files can only be united by names, so the schema is that of the first
    // file.
    inference: { ...source.inference, schema_inference_mode: "'default'" },
    names: namedByHeader(names),
  };
}
