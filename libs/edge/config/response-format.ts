import type { ResultFormat } from '@app/warehouse';
import { z } from 'zod';

/** ROAPI's names, and NDJSON, which it does not have; in upper or lower case. */
const FORMATS: Readonly<Record<string, ResultFormat>> = {
  json: 'json',
  ndjson: 'ndjson',
  csv: 'csv',
  arrowfile: 'arrow-file',
  arrowstream: 'arrow-stream',
  parquet: 'parquet',
};
const WANTED = 'want Json, NdJson, Csv, ArrowFile, ArrowStream or Parquet';

export const responseFormat = z.string().transform((text, context) => {
  const name = text.toLowerCase();
  const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
  if (format) return format;
  context.addIssue({ code: 'custom', message: WANTED });
  return z.NEVER;
});
