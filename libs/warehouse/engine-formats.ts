/** Formats by the engine's own names, which its clients use, with ClickHouse's media types. */
export const ENGINE_FORMATS = {
  Native: 'application/octet-stream',
  RowBinary: 'application/octet-stream',
  RowBinaryWithNames: 'application/octet-stream',
  RowBinaryWithNamesAndTypes: 'application/octet-stream',
  TabSeparated: 'text/tab-separated-values; charset=UTF-8',
  TabSeparatedRaw: 'text/tab-separated-values; charset=UTF-8',
  TabSeparatedWithNames: 'text/tab-separated-values; charset=UTF-8',
  TabSeparatedWithNamesAndTypes: 'text/tab-separated-values; charset=UTF-8',
  CSV: 'text/csv; charset=UTF-8; header=absent',
  CSVWithNames: 'text/csv; charset=UTF-8; header=present',
  CSVWithNamesAndTypes: 'text/csv; charset=UTF-8; header=present',
  JSON: 'application/json; charset=UTF-8',
  JSONStrings: 'application/json; charset=UTF-8',
  JSONCompact: 'application/json; charset=UTF-8',
  JSONCompactStrings: 'application/json; charset=UTF-8',
  JSONColumns: 'application/json; charset=UTF-8',
  JSONColumnsWithMetadata: 'application/json; charset=UTF-8',
  JSONEachRow: 'application/x-ndjson; charset=UTF-8',
  JSONStringsEachRow: 'application/x-ndjson; charset=UTF-8',
  JSONCompactEachRow: 'application/x-ndjson; charset=UTF-8',
  JSONCompactEachRowWithNames: 'application/x-ndjson; charset=UTF-8',
  JSONCompactEachRowWithNamesAndTypes: 'application/x-ndjson; charset=UTF-8',
  JSONCompactStringsEachRowWithNamesAndTypes: 'application/x-ndjson; charset=UTF-8',
  Pretty: 'text/plain; charset=UTF-8',
  PrettyCompact: 'text/plain; charset=UTF-8',
  PrettySpace: 'text/plain; charset=UTF-8',
  Vertical: 'text/plain; charset=UTF-8',
  Values: 'text/plain; charset=UTF-8',
  Markdown: 'text/markdown; charset=UTF-8',
  Null: 'text/plain; charset=UTF-8',
} as const satisfies Readonly<Record<string, string>>;

export type EngineFormat = keyof typeof ENGINE_FORMATS;

export const isEngineFormat = (format: string): format is EngineFormat =>
  Object.hasOwn(ENGINE_FORMATS, format);
