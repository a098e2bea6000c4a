export type { FlightSqlDoor } from './door.js';
export { FlightSqlListener } from './flight-sql-listener.js';
