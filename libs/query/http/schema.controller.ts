import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
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
   * A cache of schemas, as JSON, by the list of a table's columns. The same list has the same
   * fields, unless it has objects.
   */
  private readonly steady = new WeakMap<TableDescription['columns'], string>();

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
  all(@Req() request: AuthenticatedRequest, @Res() reply: FastifyReply): void | Promise<void> {
    const organization = organizationOf(request);
    const tables = this.catalog.tables(organization);
    const known = tables.map((table) => this.steady.get(table.columns));
    const send = (schemas: readonly (string | undefined)[]): void =>
      sendJson(reply, `{${tables.map(({ name }, at) => `${JSON.stringify(name)}:${schemas[at]}`).join(',')}}`); // prettier-ignore
    // Nothing is waited for where all is known: to wait costs as much as to answer.
    if (known.every((schema) => schema !== undefined)) return send(known);
    return this.schemasOf(organization, tables).then(send);
  }

  @Get(':table')
  @NamedRoute()
  @Describe({
    tag: 'Queries',
    summary: 'Fields of a table, with the types of Arrow, as ROAPI tells them',
    answer: EXAMPLE,
    failures: { STREAM_NOT_FOUND: 'there is no table "log"; did you mean "logs"?' },
  })
  one(
    @Req() request: AuthenticatedRequest,
    @Param('table') name: string,
    @Res() reply: FastifyReply,
  ): void | Promise<void> {
    const organization = organizationOf(request);
    const table = knownTable(this.catalog, organization, name);
    const known = this.steady.get(table.columns);
    if (known !== undefined) return sendJson(reply, known);
    return this.schemaOf(organization, table).then((schema) => sendJson(reply, schema));
  }

  private async schemasOf(
    organization: RequestOrganization,
    tables: readonly TableDescription[],
  ): Promise<readonly string[]> {
    const schemas: string[] = [];
    for (const table of tables) schemas.push(await this.schemaOf(organization, table));
    return schemas;
  }

  private async schemaOf(
    organization: RequestOrganization,
    table: TableDescription,
  ): Promise<string> {
    const known = this.steady.get(table.columns);
    if (known !== undefined) return known;
    const shapes = await this.shapes.of(organization, table);
    const schema: TableSchema = { fields: arrowFields(table, shapes) };
    const text = JSON.stringify(schema);
    if (shapes.size === 0) this.steady.set(table.columns, text);
    return text;
  }
}

function sendJson(reply: FastifyReply, text: string): void {
  void reply.type('application/json; charset=utf-8').send(text);
}
