export { openClickHouse } from './open-clickhouse.js';
