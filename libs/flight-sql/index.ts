export type { FlightSqlDoor } from './flight-sql-door.js';
export { FlightSqlListener } from './flight-sql-listener.js';
