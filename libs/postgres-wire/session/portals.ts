import { BOUNDS } from '../protocol/postgres-bounds.js';
import { PostgresError } from '../protocol/protocol-error.js';
import type { Values } from './answering.js';
import type { PreparedStatement } from './prepared-statement.js';
import { noRows, type Rows } from './rows.js';

/** Replaces the rows after all of them were sent. */
export const DONE = noRows('SELECT 0');

/** A statement with its values, and how many of its rows were sent. */
export interface Portal {
  readonly asked: PreparedStatement;
  readonly values: Values;
  /** It stays when its transaction ends. */
  readonly isHeld?: boolean;
  /** It is undefined until the client first asks for rows. */
  rows?: Rows;
  quiet?: NodeJS.Timeout;
}

/**
 * The portals of one connection by their names, within limits. The unnamed portal is replaced by
 * the next one.
 */
export class Portals {
  private readonly portals = new Map<string, Portal>();

  /** @throws {PostgresError} 42P03, 53400 */
  put(name: string, portal: Portal): void {
    if (name === '') this.close(name);
    else if (this.portals.has(name))
      throw new PostgresError('42P03', `cursor "${name}" already exists`);
    const open = [...this.portals.values()].filter(({ rows }) => rows !== undefined && rows !== DONE).length; // prettier-ignore
    if (this.portals.size >= BOUNDS.portals || open >= BOUNDS.openPortals)
      throw new PostgresError(
        '53400',
        'this connection reads as many answers at the same time as it may; close some',
      );
    this.portals.set(name, portal);
  }

  /** @throws {PostgresError} 34000 */
  get(name: string): Portal {
    const portal = this.portals.get(name);
    if (!portal) throw new PostgresError('34000', `portal "${name}" does not exist`);
    clearTimeout(portal.quiet);
    return portal;
  }

  /** The portal's rows wait for the client, which may have forgotten them. */
  suspend(portal: Portal): void {
    clearTimeout(portal.quiet);
    const forget = (): void => {
      for (const [name, each] of this.portals) if (each === portal) this.close(name);
    };
    portal.quiet = setTimeout(forget, BOUNDS.portalSeconds * 1000).unref();
  }

  close(name: string): void {
    const portal = this.portals.get(name);
    if (!portal) return;
    clearTimeout(portal.quiet);
    portal.rows?.close();
    this.portals.delete(name);
  }

  /** Closes those that end with their transaction. */
  endTransaction(): void {
    for (const [name, { isHeld }] of this.portals) if (!isHeld) this.close(name);
  }

  closeAll(): void {
    for (const name of [...this.portals.keys()]) this.close(name);
  }
}
