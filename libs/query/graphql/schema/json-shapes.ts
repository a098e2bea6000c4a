import { Injectable } from '@nestjs/common';
import type { RequestOrganization } from '@app/platform';
import { quoteIdentifier, WarehouseError, WarehouseReader } from '@app/warehouse';
import type { TableDescription } from '../../catalog.js';
import { isListOfObjects, isOfObjects, shapeOf, type Shape } from './json-shape.js';

/** The age after which known shapes are looked up again. */
export const AGE_MAX_MS = 30_000;
const KEPT = 1000;
/** The depth to which nested lists of objects are examined. */
const NESTED_MAX = 3;

interface Known {
  readonly shape: Promise<Shape>;
  readonly askedAt: number;
}

/**
 * Asks the engine for the keys in columns of JSON. The engine knows them without reading the
 * values.
 */
@Injectable()
export class JsonShapes {
  private readonly known = new Map<string, Known>();

  constructor(private readonly reader: WarehouseReader) {}

  /** Gives the shapes of columns of objects, or of lists of objects. */
  async of(
    organization: RequestOrganization,
    { name, columns }: TableDescription,
    ageMaxMs = AGE_MAX_MS,
  ): Promise<ReadonlyMap<string, Shape>> {
    const shapes = new Map<string, Shape>();
    for (const column of columns) {
      const quoted = quoteIdentifier(column.name);
      if (isOfObjects(column.type))
        shapes.set(column.name, await this.column(organization, name, quoted, ageMaxMs));
      else if (isListOfObjects(column.type))
        shapes.set(
          column.name,
          await this.column(organization, name, `arrayJoin(${quoted})`, ageMaxMs),
        );
    }
    return shapes;
  }

  private column(
    { database }: RequestOrganization,
    table: string,
    expression: string,
    ageMaxMs: number,
  ): Promise<Shape> {
    const key = JSON.stringify([database, table, expression]);
    const known = this.known.get(key);
    if (known && known.askedAt + ageMaxMs > performance.now()) return known.shape;
    // If a table is dropped meanwhile, or the engine is too busy, queries of other tables must not
    // fail.
    const shape = this.ask(database, table, expression, NESTED_MAX).catch(
      (error: unknown): Shape => {
        if (!(error instanceof WarehouseError)) throw error;
        this.known.delete(key);
        return {};
      },
    );
    this.known.delete(key);
    this.known.set(key, { shape, askedAt: performance.now() });
    for (const oldest of this.known.keys()) {
      if (this.known.size <= KEPT) break;
      this.known.delete(oldest);
    }
    return shape;
  }

  private async ask(
    database: string,
    table: string,
    expression: string,
    nested: number,
  ): Promise<Shape> {
    const sql = `SELECT toJSONString(distinctJSONPathsAndTypes(${expression})) FROM ${quoteIdentifier(table)}`;
    const answer = await this.reader.text({ sql, database, format: 'text' });
    const paths = JSON.parse(answer) as Record<string, string[]>;
    const elements = new Map<string, Shape>();
    if (nested > 0) {
      for (const [path, types] of Object.entries(paths)) {
        if (!types.some(isListOfObjects)) continue;
        const list = `arrayJoin(${expression}.${path.split('.').map(quoteIdentifier).join('.')}[])`;
        elements.set(path, await this.ask(database, table, list, nested - 1));
      }
    }
    return shapeOf(paths, elements);
  }
}
