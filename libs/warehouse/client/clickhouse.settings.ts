import { z } from 'zod';
import { OperatorError } from '@app/platform';

/**
 * Addresses of HTTP interfaces, with a user. They may contain passwords, which no message repeats.
 */
export const clickHouseUrls = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .refine((all) => all.every(isServer), {
    error:
      'want the HTTP address of a server, such as http://name:password@host:8123; of a cluster’s nodes with commas between them',
  })
  .optional();

/** The cluster's name in the servers' configuration. */
export const clickHouseCluster = z
  .string()
  .regex(/^[\w.-]{1,100}$/, 'want the name of a cluster in the servers’ configuration')
  .optional();

/** Stands for a backup's name. */
const BACKUP_PLACE = '{name}';

/**
 * The destination after TO in the servers' BACKUP. It may contain keys, which no message repeats.
 */
export const clickHouseBackups = z
  .string()
  .regex(/^(?:Disk|S3|AzureBlobStorage|File)\([^()]*\)$/, {
    error: `want where ClickHouse's BACKUP writes to, such as Disk('backups', '${BACKUP_PLACE}') or S3('https://<bucket>…/${BACKUP_PLACE}', '<key>', '<secret>')`,
  })
  .refine((text) => text.includes(BACKUP_PLACE), {
    error: `want ${BACKUP_PLACE} in it, where the name of a backup stands`,
  })
  .optional();

/** @throws when several servers are no cluster, or a cluster has no address. */
export function clickHouseAddress(
  urls: readonly string[] | undefined,
  cluster: string | undefined,
) {
  if (urls === undefined && cluster !== undefined)
    throw new OperatorError('configuration: CLICKHOUSE_CLUSTER needs CLICKHOUSE_URL, its nodes');
  if (urls === undefined) return undefined;
  if (urls.length > 1 && cluster === undefined)
    throw new OperatorError(
      'configuration: CLICKHOUSE_URL has several addresses: name the cluster that they are nodes of in CLICKHOUSE_CLUSTER',
    );
  return { urls, cluster };
}

function isServer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, pathname, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && pathname === '/' && search === '' && hash === '';
}
