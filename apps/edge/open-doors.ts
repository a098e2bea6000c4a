import { EdgeFlightSqlDoor, EdgePostgresDoor } from '@app/edge';
import { listenFailure } from '@app/http';
import { programVersion } from '@app/platform';
import { PostgresListener } from '@app/postgres-wire';
import type { Catalog, QueryPipeline } from '@app/query';
import type { Components } from './open-components.js';

/** The components that answer clients, by any protocol. */
interface Answerers {
  readonly queries: QueryPipeline;
  readonly catalog: Catalog;
}

/** The addresses, besides HTTP's, at which clients ask. */
export interface Doors {
  /** Sentences for the log at start, which say where clients may connect. */
  readonly told: readonly string[];
  close(): Promise<void>;
}

/** Listens for clients of other protocols, where that was asked for. @throws {Error} when it cannot */
export async function openDoors(answerers: Answerers, components: Components): Promise<Doors> {
  const open: Door[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(open.map((door) => door.close()));
  };
  try {
    for (const openOne of [openPostgres, openFlightSql]) {
      const door = await openOne(answerers, components);
      if (door) open.push(door);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { told: open.map(({ told }) => told), close };
}

interface Door {
  readonly told: string;
  close(): Promise<void>;
}

async function openPostgres(
  answerers: Answerers,
  { config, logger, tables }: Components,
): Promise<Door | undefined> {
  if (!config.postgres) return undefined;
  const door = new EdgePostgresDoor(tables, config.token);
  const listener = new PostgresListener({ ...answerers, door }, logger);
  const url = await listener.open(config.postgres).catch(listenFailure('--addr-postgres'));
  return { told: `clients of PostgreSQL: ${url}`, close: () => listener.close() };
}

/** No other module loads these libraries. */
async function openFlightSql(
  answerers: Answerers,
  { config, logger, tables }: Components,
): Promise<Door | undefined> {
  if (!config.flightSql) return undefined;
  const { FlightSqlListener } = await import('@app/flight-sql');
  const door = new EdgeFlightSqlDoor(tables, config.token);
  const by = { ...answerers, version: programVersion() };
  const listener = new FlightSqlListener(by, door, logger);
  const url = await listener.open(config.flightSql).catch(listenFailure('--addr-flight-sql'));
  return { told: `clients of Arrow Flight SQL: ${url}`, close: () => listener.close() };
}
