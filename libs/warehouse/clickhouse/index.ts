export { openClickHouse, type ClickHouseOptions } from './open-clickhouse.js';
