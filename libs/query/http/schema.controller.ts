import { Controller, Get, Param, Req } from '@nestjs/common';
import { NamedRoute } from '@app/http';
import {
  Describe,
  organizationOf,
  Requires,
  type AuthenticatedRequest,
  type RequestOrganization,
} from '@app/platform';
import { Catalog, type TableDescription } from '../catalog.js';
import { JsonShapes } from '../graphql/schema/json-shapes.js';
import { arrowFields } from './answers/arrow-answer.js';
import type { ArrowField } from './answers/arrow-type.js';
import { knownTable } from './requests/known-table.js';

interface TableSchema {
  readonly fields: readonly ArrowField[];
}

const EXAMPLE: TableSchema = {
  fields: [
    { name: 'status', data_type: 'Int64', nullable: true, dict_id: 0, dict_is_ordered: false },
  ],
};

@Controller('schema')
@Requires('query')
export class SchemaController {
  /**
   * A cache of schemas by the list of a table's columns. The same list has the same fields, unless
   * it has objects.
   */
  private readonly steady = new WeakMap<TableDescription['columns'], TableSchema>();

  constructor(
    private readonly catalog: Catalog,
    private readonly shapes: JsonShapes,
  ) {}

  @Get()
  @Describe({
    tag: 'Queries',
    summary: 'Fields of all tables, with the types of Arrow, as ROAPI tells them',
    answer: { logs: EXAMPLE },
  })
  async all(@Req() request: AuthenticatedRequest): Promise<Readonly<Record<string, TableSchema>>> {
    const organization = organizationOf(request);
    const tables: [string, TableSchema][] = [];
    for (const table of this.catalog.tables(organization))
      tables.push([table.name, await this.schemaOf(organization, table)]);
    return Object.fromEntries(tables);
  }

  @Get(':table')
  @NamedRoute()
  @Describe({
    tag: 'Queries',
    summary: 'Fields of a table, with the types of Arrow, as ROAPI tells them',
    answer: EXAMPLE,
    failures: { STREAM_NOT_FOUND: 'there is no table "log"; did you mean "logs"?' },
  })
  async one(
    @Req() request: AuthenticatedRequest,
    @Param('table') name: string,
  ): Promise<TableSchema> {
    const organization = organizationOf(request);
    return this.schemaOf(organization, knownTable(this.catalog, organization, name));
  }

  private async schemaOf(
    organization: RequestOrganization,
    table: TableDescription,
  ): Promise<TableSchema> {
    const known = this.steady.get(table.columns);
    if (known) return known;
    const shapes = await this.shapes.of(organization, table);
    const schema = { fields: arrowFields(table, shapes) };
    if (shapes.size === 0) this.steady.set(table.columns, schema);
    return schema;
  }
}
