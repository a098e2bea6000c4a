import { Agent } from 'node:http';
import { qualified } from '../ddl/ddl.js';
import type { TableName } from '../warehouse.js';
import { ask } from './ask-engine.js';
import type { Login } from './engine-users.js';

const NOT_LOADED =
  "SELECT database, table FROM system.detached_tables WHERE startsWith(database, 'o_') FORMAT JSONEachRow";
/** So long as the engine's start would be waited for if it loaded them by then. */
const LOAD_MS = 60_000;
/** Requests that load tables at a time. */
const CONNECTIONS = 8;
/** Databases whose tables are loaded at a time, of those that nobody has asked for. */
const AT_ONCE = 2;

/**
 * Tables of organizations that a started engine has not loaded: without them it is there sooner.
 * They are loaded behind it, and those of a database that somebody asks for at once.
 */
export class LateTables {
  private readonly left = new Map<string, string[]>();
  private readonly coming = new Map<string, Promise<boolean>>();
  private readonly whole: Promise<boolean>;

  /** @param load a table; resolves to false when the engine has not done it, or has ended */
  constructor(
    tables: readonly TableName[],
    private readonly load: (table: TableName) => Promise<boolean>,
  ) {
    for (const { database, table } of tables)
      this.left.set(database, [...(this.left.get(database) ?? []), table]);
    this.whole = this.loadAll();
  }

  /**
   * Undefined when all tables of the database are there. Else resolves to true when they are, and to
   * false when they will not be: ask the next engine.
   */
  of(database: string): Promise<boolean> | undefined {
    const tables = this.left.get(database);
    if (!tables) return undefined;
    const coming = this.coming.get(database) ?? this.loadDatabase(database, tables);
    this.coming.set(database, coming);
    return coming;
  }

  /** The same for all databases. */
  all(): Promise<boolean> | undefined {
    return this.left.size === 0 ? undefined : this.whole;
  }

  private async loadAll(): Promise<boolean> {
    const databases = [...this.left.keys()].values();
    const work = async (): Promise<boolean> => {
      for (const database of databases) if ((await this.of(database)) === false) return false;
      return true;
    };
    const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, work));
    return outcomes.every(Boolean);
  }

  private async loadDatabase(database: string, tables: readonly string[]): Promise<boolean> {
    for (const table of tables) if (!(await this.load({ database, table }))) return false;
    this.left.delete(database);
    this.coming.delete(database);
    return true;
  }
}

/**
 * Loads what the engine has left for later, by its own word.
 * @param url of the engine
 * @param failed is told when it does not load a table
 * @throws when it does not say what it has left
 */
export async function loadLate(url: string, login: Login, failed: () => void): Promise<LateTables> {
  const left = await ask(url, login, NOT_LOADED, { withinMs: LOAD_MS });
  if (left === undefined) throw new Error('the engine has not told which tables it has not loaded');
  const lines = left.split('\n').filter((line) => line !== '');
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const load = async (table: TableName): Promise<boolean> => {
    const query = `ATTACH TABLE ${qualified(table)}`;
    const isLoaded = (await ask(url, login, query, { withinMs: LOAD_MS, agent })) !== undefined;
    if (!isLoaded) failed();
    return isLoaded;
  };
  const tables = new LateTables(
    lines.map((line) => JSON.parse(line) as TableName),
    load,
  );
  // An idle connection would hold up the engine's end.
  void tables.all()?.then(() => agent.destroy());
  return tables;
}
