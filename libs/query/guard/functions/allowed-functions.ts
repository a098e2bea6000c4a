import { FUNCTION_NAMES } from './function-names.js';

/** The names are in lower case. */
export const KNOWN_FUNCTIONS: readonly string[] = FUNCTION_NAMES.trim().split(/\s+/);
const ALLOWED = new Set(KNOWN_FUNCTIONS);

/** Suffixes that turn an aggregate function into another: `sumIf`, `quantileArrayOrNull`. */
const COMBINATOR =
  /(?:if|array|map|distinct|ornull|ordefault|foreach|resample|argmin|argmax|simplestate|state|merge|mergestate)$/;

/** Tells whether a statement may call it. Names compare without case, as the engine does for many. */
export function isAllowedFunction(name: string): boolean {
  let candidate = name.toLowerCase();
  for (;;) {
    if (ALLOWED.has(candidate)) return true;
    const shorter = candidate.replace(COMBINATOR, '');
    if (shorter === candidate || shorter === '') return false;
    candidate = shorter;
  }
}

/** Table functions that read only their arguments. */
export const ALLOWED_TABLE_FUNCTIONS: ReadonlySet<string> = new Set([
  'numbers',
  'numbers_mt',
  'zeros',
  'zeros_mt',
  'generate_series',
  'generateSeries',
  'values',
]);

/** Table functions of the engine that are refused; others do not exist. In lower case. */
export const REFUSED_TABLE_FUNCTIONS: ReadonlySet<string> = new Set(
  [
    'arrowStream cosn dictionary eval executable filesystem format fuzzJSON fuzzQuery generateRandom',
    'input jdbc loop merge mongodb mysql null odbc oss postgresql primes redis sqlite',
    'SQLStandardValues view viewExplain viewIfPermitted ytsaurus hudi hdfs gcs remote remoteSecure',
    'cluster clusterAllReplicas hudiCluster hdfsCluster file fileCluster url urlCluster s3 s3Cluster',
    'azureBlobStorage azureBlobStorageCluster prometheusQuery prometheusQueryRange',
    'mergeTreeAnalyzeIndexes mergeTreeAnalyzeIndexesUUID mergeTreeIndex mergeTreeProjection',
    'mergeTreeTextIndex timeSeriesData timeSeriesMetrics timeSeriesSamples timeSeriesSelector',
    'timeSeriesTags',
    ...['deltaLake', 'iceberg', 'paimon'].flatMap((format) =>
      ['', 'Azure', 'HDFS', 'Local', 'S3'].map(
        (store) => `${format}${store} ${format}${store}Cluster`,
      ),
    ),
  ]
    .join(' ')
    .toLowerCase()
    .split(' '),
);
