import { createHash } from 'node:crypto';
import { execute, getVariableValues, type GraphQLSchema, Kind } from 'graphql';
import { Injectable, Logger } from '@nestjs/common';
import { RateLimiter } from '@app/flow';
import { introspectionCost } from '@app/graphql-cost';
import { certain, didYouMean, MillraceError, type RequestOrganization } from '@app/platform';
import { Catalog, type TableDescription } from '../catalog.js';
import { Verdicts } from '../guard/verdicts.js';
import type { BoundStatement } from '../plan/bindings.js';
import { SelectionReader, type Selection } from './collect-selection.js';
import { GraphqlFailure } from './graphql-failure.js';
import type { Shape } from './schema/json-shape.js';
import { AGE_MAX_MS, JsonShapes } from './schema/json-shapes.js';
import type { OrganizationSchema, Shapes } from './schema/organization-schema.js';
import { planRootField } from './plan/plan-root-field.js';
import { KeptSchemas } from './schema/kept-schemas.js';
import { readDocument, type Operation } from './read-document.js';
import { soundSchema } from './schema/sound-schema.js';
import { validateDocument } from './validate-document.js';

export interface GraphqlRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
}

/** A root field of the answer: rows of a statement, or the schema's description of itself. */
export type RootField =
  | { readonly key: string; readonly statement: BoundStatement }
  | { readonly key: string; readonly value: unknown };

/**
 * The interval after which keys within JSON are looked up again, because new keys may have come.
 */
const LOOKED_AGAIN_MS = 1000;
const ROOT_FIELDS_MAX = 20;
/**
 * The number of fields of an answer about the schema. GraphiQL's question has 1.1 million for an
 * organization with 500 streams of 20 fields and one of 5,000.
 */
const SCHEMA_FIELDS_MAX = 2_000_000;
/**
 * The number of fields per second in answers about one organization's schema. It is limited because
 * they are made on the main thread.
 */
const SCHEMA_FIELDS_PER_SECOND = 200_000;

/** A parsed document takes a hundred times as much memory as its text. */
const DOCUMENTS_KEPT = { verdicts: 500, characters: 256 * 1024 };

/**
 * Answers a GraphQL query: document → schema of the organization → validation → one statement for
 * each root field.
 */
@Injectable()
export class GraphqlPipeline {
  private readonly schemas = new KeptSchemas();
  private readonly documents = new Verdicts<Operation>(DOCUMENTS_KEPT);
  /** The schemas for which a cached document is valid. */
  private readonly validFor = new WeakMap<Operation, WeakSet<OrganizationSchema>>();
  /** The plans of cached documents without variables, by the schema for which they are valid. */
  private readonly planned = new WeakMap<
    Operation,
    WeakMap<OrganizationSchema, readonly RootField[]>
  >();
  private readonly logger = new Logger('graphql');
  private readonly schemaFields = new RateLimiter({
    perSecond: SCHEMA_FIELDS_PER_SECOND,
    burst: SCHEMA_FIELDS_MAX,
  });

  constructor(
    private readonly catalog: Catalog,
    private readonly shapes: JsonShapes,
  ) {}

  /** @throws {MillraceError} EMPTY_BODY, INVALID_GRAPHQL, INVALID_PARAMETER, UNKNOWN_COLUMN, STREAM_NOT_FOUND */
  async plan(
    { query, variables, operationName }: GraphqlRequest,
    organization: RequestOrganization,
  ): Promise<readonly RootField[]> {
    const operation = this.read(query, operationName);
    const described = await this.schemaFor(operation, organization);
    const planned = this.planned.get(operation)?.get(described);
    if (planned) return planned;
    const coerced = getVariableValues(
      described.schema,
      operation.operation.variableDefinitions ?? [],
      variables,
    );
    if (coerced.errors) throw new GraphqlFailure(coerced.errors);
    const reader = new SelectionReader(operation.fragments, coerced.coerced);
    const selection = reader.read(operation.operation.selectionSet);
    if (selection.size > ROOT_FIELDS_MAX)
      throw new MillraceError(
        'INVALID_PARAMETER',
        `a query may have at most ${ROOT_FIELDS_MAX} root fields, not ${selection.size}`,
      );
    const meta = await this.metaFields(described.schema, operation, selection, {
      variables,
      organization,
    });
    const fields = [...selection].map(([key, nodes]): RootField => {
      const name = nodes[0].name.value;
      const root = described.roots.get(name);
      const definition = described.schema.getQueryType()?.getFields()[name];
      if (!root || !definition) return { key, value: meta[key] };
      return { key, statement: planRootField(root, definition, nodes, reader) };
    });
    if (dependsOnNothingElse(operation, fields)) this.keep(operation, described, fields);
    return fields;
  }

  private keep(
    operation: Operation,
    described: OrganizationSchema,
    fields: readonly RootField[],
  ): void {
    const plans = this.planned.get(operation) ?? new WeakMap<OrganizationSchema, typeof fields>();
    plans.set(described, fields);
    this.planned.set(operation, plans);
  }

  private read(text: string, operationName: string | undefined): Operation {
    const key = JSON.stringify([operationName, text]);
    const known = this.documents.get(key);
    if (known) return known;
    const operation = readDocument(text, operationName);
    this.documents.set(key, operation);
    return operation;
  }

  /** Answers questions about the schema itself, through the library. */
  private async metaFields(
    schema: GraphQLSchema,
    { document, operation }: Operation,
    selection: Selection,
    {
      variables,
      organization,
    }: Pick<GraphqlRequest, 'variables'> & { readonly organization: RequestOrganization },
  ): Promise<Readonly<Record<string, unknown>>> {
    const asked = [...selection.values()].flat().filter(({ name }) => name.value.startsWith('__'));
    if (asked.length === 0) return {};
    this.paySchemaFields(
      introspectionCost(schema, document, operation, variables, SCHEMA_FIELDS_MAX),
      organization,
    );
    const only = { ...operation, selectionSet: { ...operation.selectionSet, selections: asked } };
    const definitions = document.definitions.map((each) => (each === operation ? only : each));
    const result = await execute({
      schema,
      document: { ...document, definitions },
      variableValues: variables,
      ...(operation.name ? { operationName: operation.name.value } : {}),
    });
    if (result.errors) throw new GraphqlFailure(result.errors);
    return certain(result.data, 'data of an answer without errors');
  }

  /** @throws {MillraceError} INVALID_GRAPHQL, TOO_MANY_REQUESTS */
  private paySchemaFields(fields: number, { id }: RequestOrganization): void {
    if (fields > SCHEMA_FIELDS_MAX)
      throw new MillraceError(
        'INVALID_GRAPHQL',
        `the answer would have more than ${SCHEMA_FIELDS_MAX} fields: ask __schema for fewer of them, or for one type by __type(name: "…")`,
      );
    const wait = this.schemaFields.take(id, fields);
    if (wait > 0)
      throw new MillraceError(
        'TOO_MANY_REQUESTS',
        'the schema of this organization has been asked for too often; wait, or ask for less of it',
        { retryAfterSeconds: Math.ceil(wait / 1000) },
      );
  }

  /** The schema for which the document is valid. */
  private async schemaFor(
    operation: Operation,
    organization: RequestOrganization,
  ): Promise<OrganizationSchema> {
    const known = await this.schema(organization, AGE_MAX_MS);
    const asksForKeys = operation.operation.selectionSet.selections.some(
      (each) => each.kind === Kind.FIELD && each.name.value.startsWith('__'),
    );
    try {
      if (!asksForKeys) return this.valid(known, operation);
    } catch (error) {
      if (!(error instanceof GraphqlFailure)) throw error;
    }
    return this.valid(await this.schema(organization, LOOKED_AGAIN_MS), operation);
  }

  /** @throws {MillraceError} INVALID_GRAPHQL, STREAM_NOT_FOUND */
  private valid(described: OrganizationSchema, operation: Operation): OrganizationSchema {
    const schemas = this.validFor.get(operation) ?? new WeakSet();
    if (schemas.has(described)) return described;
    checkRoots(operation, described);
    validateDocument(described, operation);
    schemas.add(described);
    this.validFor.set(operation, schemas);
    return described;
  }

  /** Built again when a table, a column or a key within JSON appears or disappears. */
  private async schema(
    organization: RequestOrganization,
    ageMaxMs: number,
  ): Promise<OrganizationSchema> {
    const tables = this.catalog.tables(organization);
    KeptSchemas.check(tables);
    const shapes = await this.shapesOf(tables, organization, ageMaxMs);
    const version = versionOf(tables, shapes);
    const known = this.schemas.get(version);
    if (known) return known;
    const built = soundSchema(tables, shapes);
    for (const { name, problem } of built.leftOut)
      this.logger.error(`table ${name} of ${organization.name} is left out of GraphQL: ${problem}`);
    // Schemas for tokens that see only some streams replace each other, and not the schemas for
    // everybody else.
    const owner = organization.streams ? `${organization.id} in part` : organization.id;
    this.schemas.set(owner, version, built, tables);
    return built;
  }

  private async shapesOf(
    tables: readonly TableDescription[],
    organization: RequestOrganization,
    ageMaxMs: number,
  ): Promise<Shapes> {
    const shapes = new Map<string, ReadonlyMap<string, Shape>>();
    for (const table of tables)
      shapes.set(table.name, await this.shapes.of(organization, table, ageMaxMs));
    return shapes;
  }
}

/** Questions about the schema itself count against the limit each time. */
const dependsOnNothingElse = ({ operation }: Operation, fields: readonly RootField[]): boolean =>
  (operation.variableDefinitions ?? []).length === 0 &&
  fields.every((field) => 'statement' in field);

/**
 * Cached texts by the list of columns, which stays the same object as long as the columns do not
 * change.
 */
const written = new WeakMap<TableDescription['columns'], Map<unknown, string>>();

function versionOf(tables: readonly TableDescription[], shapes: Shapes): string {
  const hash = createHash('sha256');
  for (const { name, columns, within } of tables) {
    const texts = written.get(columns) ?? new Map<unknown, string>();
    const text = texts.get(within) ?? JSON.stringify([columns, within]);
    written.set(columns, texts.set(within, text));
    hash.update(JSON.stringify([name, text, [...(shapes.get(name) ?? [])]]));
  }
  return hash.digest('base64');
}

/** A root field that is no table gets an answer of its own: 404, with a similar name. */
function checkRoots({ operation }: Operation, { roots }: OrganizationSchema): void {
  for (const node of operation.selectionSet.selections) {
    if (node.kind !== Kind.FIELD) continue;
    const name = node.name.value;
    if (roots.has(name) || name.startsWith('__')) continue;
    throw new MillraceError(
      'STREAM_NOT_FOUND',
      `there is no table ${JSON.stringify(name)}${didYouMean(name, [...roots.keys()])}`,
    );
  }
}
