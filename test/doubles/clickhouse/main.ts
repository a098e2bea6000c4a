// A ClickHouse server's double as a process: --port 0 --dir <absolute> [--user default] [--password secret]
// Prints `listening <port>`; SIGTERM ends it in good order.
import { parseArgs } from 'node:util';
import { ClickHouseServer } from './clickhouse-server.js';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    dir: { type: 'string', default: '' },
    user: { type: 'string', default: 'default' },
    password: { type: 'string', default: '' },
  },
});
const { dir: directory, user, password } = values;
const server = new ClickHouseServer({ directory, user, password });
console.log(`listening ${await server.listen(Number(values.port))}`);
process.once('SIGTERM', () => {
  server.close();
  process.exit(0);
});
