import { quoteText } from '@app/warehouse';
import { SourceError } from './source-error.js';
import type { SourceCredentials } from './source-credentials.js';
import { optionalText, tableFunction } from './source.js';

interface ObjectPlace {
  readonly kind: 's3' | 'gcs' | 'azure';
  readonly bucket: string;
  readonly key: string;
}

/** The arguments of the engine's functions before format and structure. */
interface StoreArguments {
  readonly args: readonly string[];
  readonly shown: string;
}

/** Names of the engine's functions over a store. */
const FUNCTIONS = {
  files: { s3: 's3', gcs: 's3', azure: 'azureBlobStorage' },
  delta: { s3: 'deltaLake', gcs: 'deltaLake', azure: 'deltaLakeAzure' },
  iceberg: { s3: 'icebergS3', gcs: 'icebergS3', azure: 'icebergAzure' },
} as const;

/** The call over objects, or over the folder of a Delta or Iceberg table. */
export function storeCall(
  what: keyof typeof FUNCTIONS,
  place: ObjectPlace,
  credentials: SourceCredentials,
  format: string | undefined,
  structure: string | undefined,
): string {
  const { args } = storeArguments(place, credentials);
  const azureMiddle = place.kind === 'azure' && format !== undefined ? [quoteText('auto')] : [];
  return tableFunction(FUNCTIONS[what][place.kind], [
    ...args,
    optionalText(format),
    ...(structure === undefined ? [] : azureMiddle),
    optionalText(structure),
  ]);
}

function storeArguments(place: ObjectPlace, credentials: SourceCredentials): StoreArguments {
  switch (place.kind) {
    case 's3':
      return s3Arguments(place, credentials.s3);
    case 'gcs':
      return gcsArguments(place, credentials.gcs);
    case 'azure':
      return azureArguments(place, credentials.azure);
  }
}

function s3Arguments({ bucket, key }: ObjectPlace, s3: SourceCredentials['s3']): StoreArguments {
  const host = s3.endpoint ?? `https://s3.${s3.region}.amazonaws.com`;
  const keys =
    s3.accessKeyId === undefined || s3.secretAccessKey === undefined
      ? ['NOSIGN']
      : [s3.accessKeyId, s3.secretAccessKey, s3.sessionToken]
          .filter((each) => each !== undefined)
          .map(quoteText);
  return {
    args: [quoteText(`${host}/${bucket}/${inUrl(key)}`), ...keys],
    shown: `s3://${bucket}/${key}`,
  };
}

/** Encodes characters that no URL may have. Characters of patterns stay. */
const inUrl = (key: string): string =>
  key.replace(/[^A-Za-z0-9._~!*'(){},/?=:@&+$-]+/gu, encodeURIComponent);

/** Through the interface that speaks S3, which signs with HMAC keys. */
function gcsArguments({ bucket, key }: ObjectPlace, gcs: SourceCredentials['gcs']): StoreArguments {
  const keys =
    gcs.accessKeyId === undefined || gcs.secretAccessKey === undefined
      ? ['NOSIGN']
      : [quoteText(gcs.accessKeyId), quoteText(gcs.secretAccessKey)];
  const url = `${gcs.endpoint ?? 'https://storage.googleapis.com'}/${bucket}/${inUrl(key)}`;
  return { args: [quoteText(url), ...keys], shown: `gs://${bucket}/${key}` };
}

function azureArguments(
  { bucket, key }: ObjectPlace,
  azure: SourceCredentials['azure'],
): StoreArguments {
  const shown = `az://${bucket}/${key}`;
  const path = [quoteText(bucket), quoteText(key)];
  if (azure.connectionString !== undefined)
    return { args: [quoteText(azure.connectionString), ...path], shown };
  if (azure.account === undefined || azure.key === undefined)
    throw new SourceError(
      'az:// needs AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY',
    );
  const url = azure.endpoint ?? `https://${azure.account}.blob.core.windows.net`;
  return {
    args: [quoteText(url), ...path, quoteText(azure.account), quoteText(azure.key)],
    shown,
  };
}
