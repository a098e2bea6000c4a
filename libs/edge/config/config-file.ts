import { explainIssues, OperatorError } from '@app/platform';
import type { ResultFormat } from '@app/warehouse';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { z } from 'zod';
import { present } from '../describe/format-options.js';
import { strict } from '../describe/strict.js';
import { seconds, storeEntry, tableEntry, type DescribedStore } from '../describe/table-entry.js';
import type { DescribedTable } from '../table-description.js';
import { httpAddress, type HttpAddress } from './http-address.js';
import { readToml } from './read-toml.js';
import { readYaml, type ConfigDocument } from './read-yaml.js';
import { responseFormat } from './response-format.js';

/** The content of a configuration file. A setting that it leaves out is absent. */
export interface ConfigFile {
  readonly http?: HttpAddress;
  readonly postgres?: HttpAddress;
  readonly flightSql?: HttpAddress;
  readonly tables: readonly DescribedTable[];
  readonly stores: readonly DescribedStore[];
  /** False: tables may be registered; absent: the file says nothing about it. */
  readonly readOnly?: boolean;
  readonly reloadSeconds?: number;
  readonly responseFormat?: ResultFormat;
  /** Origins whose pages may call; not checked yet. */
  readonly cors?: readonly string[];
  /** Settings of the file that have no effect here, a sentence each. */
  readonly notes: readonly string[];
}

/** ROAPI's keys that have no effect here, each with the reason. */
const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  datafusion: 'settings of the engine that ROAPI has, which is not the one here',
  flight_sql_config: 'clients of Flight SQL show --token, as all others do',
};

const scalars = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));
const configFile = strict({
  addr: strict({
    http: httpAddress.optional(),
    postgres: httpAddress.optional(),
    flight_sql: httpAddress.optional(),
  }).nullish(),
  tables: z.array(tableEntry).nullish(),
  kvstores: z.array(storeEntry).nullish(),
  disable_read_only: z.boolean().optional(),
  reload_interval: seconds.optional(),
  response_format: responseFormat.optional(),
  /** ROAPI has no keys like these. */
  cors: z.union([z.string().transform((only) => [only]), z.array(z.string())]).optional(),
  datafusion: scalars.nullish(),
  flight_sql_config: z.looseObject({}).nullish(),
});

const READERS: Readonly<Record<string, (text: string) => ConfigDocument>> = {
  '.yaml': readYaml,
  '.yml': readYaml,
  '.toml': readToml,
};

/** Reads ROAPI's configuration file. @throws {Error} that names file, place and key */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  readerOf(path);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new OperatorError(`--config ${path} cannot be read: ${(error as Error).message}`, {
      cause: error,
    });
  });
  return parseConfigFile(text, path);
}

/** @param path says by its ending how to read the text, and stands in messages */
export function parseConfigFile(text: string, path: string): ConfigFile {
  const read = readerOf(path);
  let document: ConfigDocument;
  try {
    document = read(text);
  } catch (error) {
    throw new OperatorError(`${path}${(error as Error).message}`, { cause: error });
  }
  const placeOf = (key: readonly PropertyKey[]) => `${path}${document.placeOf(key)}: `;
  const parsed = configFile.safeParse(withoutExtensions(document.value ?? {}));
  if (!parsed.success) throw new OperatorError(explainIssues(parsed.error, placeOf));
  const { addr, tables, kvstores, ...rest } = parsed.data;
  return {
    tables: tables ?? [],
    stores: kvstores ?? [],
    ...present('http', addr?.http),
    ...present('postgres', addr?.postgres),
    ...present('flightSql', addr?.flight_sql),
    ...present(
      'readOnly',
      rest.disable_read_only === undefined ? undefined : !rest.disable_read_only,
    ),
    ...present('reloadSeconds', rest.reload_interval),
    ...present('responseFormat', rest.response_format),
    ...present('cors', rest.cors),
    notes: Object.entries(WITHOUT_EFFECT)
      .filter(([key]) => isThere(parsed.data, key))
      .map(([key, reason]) => `${path}: ${key} has no effect: ${reason}`),
  };
}

/** Keys that begin with `x-` are their author's: places for YAML's anchors, or another program's. */
function withoutExtensions(document: unknown): unknown {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return document;
  return Object.fromEntries(Object.entries(document).filter(([key]) => !key.startsWith('x-')));
}

function readerOf(path: string): (text: string) => ConfigDocument {
  const read = READERS[extname(path).toLowerCase()];
  if (read) return read;
  throw new OperatorError(`${path}: want a file that ends in .yaml, .yml or .toml`);
}

function isThere(value: unknown, key: string): boolean {
  const found = key
    .split('.')
    .reduce<unknown>((within, step) => (within as Record<string, unknown> | null)?.[step], value);
  return found !== undefined && found !== null;
}
