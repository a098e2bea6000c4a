// `npm run cluster [port]`: the topology of docker-compose.yml as processes of this machine, for
// trying things out. Ctrl-C ends it in good order.
import { prepare } from '../../../bin/prepare.mjs';
import { ROOT } from '../start-server.js';
import { ProcessCluster } from './process-cluster.js';

await prepare();
const port = Number(process.argv[2] ?? 5080);
const asked = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
});
console.log('starting Kafka, two doubles, and five programs …');
// If it is asked to end during the start, it ends when all processes run, so that none of them is
// left behind.
const cluster = await ProcessCluster.start({ port });
const [first, second] = cluster.nodes;
console.log(`the cluster is at    ${cluster.url}   (${ROOT.email}, ${ROOT.password})
API nodes            ${first?.url ?? ''}   ${second?.url ?? ''}
health and metrics   ${cluster.programs.map(({ status }) => status).join('   ')}
                     (API 1, API 2, writer 1, writer 2, projector)
Kafka                ${cluster.kafka.brokers}
doubles of ClickHouse and EventStoreDB hold the rest; all is gone with Ctrl-C`);
await asked;
const codes = await cluster.stop();
process.exit(codes.every((code) => code === 0) ? 0 : 1);
