import { quoteIdentifier, quoteText, type Column, type SourceEngine } from '@app/warehouse';
import { settingsClause, type Settings, type Source } from '../../sources/source.js';
import { unevenRecord } from '../csv/uneven-records.js';
import { answeredRows } from '../../sources/answered-rows.js';
import { withTypeless } from '../columns/typeless-columns.js';

/** JSON has objects, lists and single values in one column, or lists of several depths. */
const OF_SEVERAL_KINDS = /Automatically defined type .+? for column '(.+?)' in row \d+ differs from type defined by previous rows/s; // prettier-ignore
/** For each of them all rows are read anew. */
const TEXTS_MAX = 20;
/** The engine has no tuple with such an element. */
const WITH_NULL_FIELD = /Tuple element name 'null' is reserved/;
/** The engine tells no types of a file of Arrow with this one. */
const TYPE_NULL = /does not support the `null` type in schema inference/;
/** It leaves out such columns, and where there are no others it fails without a reason. */
const LEFT_OUT: Settings = { input_format_arrow_skip_columns_with_unsupported_types_in_schema_inference: '1' }; // prettier-ignore
const NONE_LEFT = /Error:\s+\./;
/** More columns than these are not made texts because of such a field. */
const NULL_FIELDS_MAX = 100;

/** The columns as the engine finds them; one whose values are of several kinds is text as it is written. */
export async function describeColumns(
  source: Source,
  inference: Settings,
  statements: SourceEngine['statements'],
): Promise<readonly Column[]> {
  const all = { ...source.settings, ...inference, print_pretty_type_names: '0' };
  const describe = (more: Settings = {}): Promise<string> =>
    statements.run(`DESCRIBE TABLE ${source.call(undefined)}${settingsClause({ ...all, ...more })} FORMAT JSONEachRow`); // prettier-ignore
  const most = (source.texts?.length ?? 0) + TEXTS_MAX;
  const withTexts = async (texts: readonly string[]): Promise<string> => {
    const hints = texts.map((name) => `${quoteIdentifier(name)} Nullable(String)`).join(', ');
    try {
      return await describe(texts.length > 0 ? { schema_inference_hints: quoteText(hints) } : {});
    } catch (error) {
      if (WITH_NULL_FIELD.test(String(error))) {
        const names = (await withNullField(source, statements)).filter((each) => !texts.includes(each)); // prettier-ignore
        if (names.length > 0) return withTexts([...texts, ...names]);
      }
      const [, name] = OF_SEVERAL_KINDS.exec(String(error)) ?? [];
      if (name === undefined || texts.includes(name) || texts.length >= most) throw error;
      return withTexts([...texts, name]);
    }
  };
  const told = await withTexts(source.texts ?? []).catch(async (error: unknown) => {
    if (source.typeless && TYPE_NULL.test(String(error)))
      return describe(LEFT_OUT).catch((failure: unknown) => {
        if (NONE_LEFT.test(String(failure))) return '';
        throw failure;
      });
    const uneven = await unevenRecord(error, source, statements);
    // The engine passes over blank lines at the end of a file only while it reads rows.
    if (uneven === 'even') return describe({ input_format_csv_allow_variable_number_of_columns: '1' }); // prettier-ignore
    throw uneven ?? error;
  });
  return withTypeless(answeredRows<Column>(told), source.typeless ?? []);
}

/** The columns with a field `null` somewhere within their objects. */
async function withNullField(
  { records, settings }: Source,
  statements: SourceEngine['statements'],
): Promise<readonly string[]> {
  if (records === undefined) return [];
  const fields = `SELECT arrayJoin(JSONExtractKeysAndValuesRaw(json)) AS field FROM ${records}`;
  const hasNull = `match(tupleElement(field, 2), ${quoteText(String.raw`"null"\s*:`)})`;
  const sql = `SELECT groupUniqArray(${NULL_FIELDS_MAX})(tupleElement(field, 1)) FROM (${fields}) WHERE ${hasNull}${settingsClause(settings)} FORMAT JSONCompactEachRow`;
  const [names] = JSON.parse(await statements.run(sql)) as readonly [readonly string[]];
  return names;
}
