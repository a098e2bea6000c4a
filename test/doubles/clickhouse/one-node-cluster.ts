/** The double is also the only node of this cluster. Distributed tables are the engine's own; Keeper, and with it replication, is not there. */
export const CLUSTER = 'main';

/** Server configuration: the port is nobody's, it only tells the engine that the node is itself. */
export const REMOTE_SERVERS = `<tcp_port>9000</tcp_port>
  <remote_servers><${CLUSTER}><shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard></${CLUSTER}></remote_servers>`;

const DEFINES = /^\s*(?:CREATE|ALTER|DROP|GRANT|BACKUP|RESTORE|KILL|SYSTEM)\b/i;
const REPLICATED = /\bENGINE = ReplicatedMergeTree(?:\('[^']*', '[^']*'\))?/g;

const ALL_REPLICAS = new RegExp(
  `clusterAllReplicas\\('${CLUSTER}', (system\\.(?:processes|backups))\\)`,
  'g',
);

/** A statement for all nodes as one for this node; undefined when there is nothing to do. */
export function onOneNode(statement: string): string | undefined {
  const here = statement.replace(ALL_REPLICAS, '$1');
  if (!DEFINES.test(here)) return here;
  if (/^\s*SYSTEM SYNC REPLICA\b/i.test(here)) return undefined;
  return here
    .replaceAll(` ON CLUSTER \`${CLUSTER}\``, '')
    .replace(REPLICATED, 'ENGINE = MergeTree');
}
