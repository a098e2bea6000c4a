import { message } from '../protobuf/messages.js';
import { shape, type Codec, type Shape } from '../protobuf/codec.js';
import { LineWriter } from '../protobuf/line.js';
import { text, uint32 } from '../protobuf/protobuf-scalars.js';
import type { Lines } from '../upload/line-uploads.js';
import { keyValue, objectOf } from './any-value.js';

/** Field numbers are those of opentelemetry-proto 1.x, which never change. */
const ENTITY_REF = shape({
  1: ['schema_url', text],
  2: ['type', text],
  3: ['id_keys', text, 'list'],
  4: ['description_keys', text, 'list'],
});
const RESOURCE = shape({
  1: ['attributes', keyValue, 'list'],
  2: ['dropped_attributes_count', uint32],
  3: ['entity_refs', message(ENTITY_REF), 'list'],
});
const SCOPE = shape({
  1: ['name', text],
  2: ['version', text],
  3: ['attributes', keyValue, 'list'],
  4: ['dropped_attributes_count', uint32],
});

export interface Attributed {
  readonly attributes?: readonly string[];
  readonly droppedAttributesCount?: number;
}
interface Resource extends Attributed {
  readonly entityRefs?: readonly object[];
}
interface Scope extends Attributed {
  readonly name?: string;
  readonly version?: string;
}
interface ScopeRecords<R> {
  readonly scope?: Scope;
  readonly schemaUrl?: string;
  readonly records: Iterable<R>;
}
interface ResourceRecords<R> {
  readonly resource?: Resource;
  readonly schemaUrl?: string;
  readonly scopes: Iterable<ScopeRecords<R>>;
}
/** The request that logs, spans and metrics are sent in. */
export interface ExportRequest<R> {
  readonly resources: Iterable<ResourceRecords<R>>;
}

/**
 * All three kinds of request have the same fields under different names; here they get the same
 * names.
 */
export function requestShape(
  [resources, scopes, records]: readonly [string, string, string],
  record: Codec<unknown>,
): Shape {
  const scope = shape({
    1: ['scope', message(SCOPE)],
    2: [records, record, 'each', 'records'],
    3: ['schema_url', text],
  });
  const resource = shape({
    1: ['resource', message(RESOURCE)],
    2: [scopes, message(scope), 'each', 'scopes'],
    3: ['schema_url', text],
  });
  return shape({ 1: [resources, message(resource), 'each', 'resources'] });
}

/**
 * The records of a request, each with the members of its resource and scope. After each resource
 * and scope it yields undefined, since either may have no records.
 */
export function* recordsOf<R>({
  resources,
}: ExportRequest<R>): Iterable<readonly [R, string] | undefined> {
  for (const { resource, schemaUrl, scopes } of resources) {
    const ofResource = new LineWriter();
    if (resource) writeResource(ofResource, resource);
    ofResource.text('resource_schema_url', schemaUrl);
    for (const { scope, schemaUrl: scopeSchemaUrl, records } of scopes) {
      const context = new LineWriter().members(ofResource.toString());
      if (scope) writeScope(context, scope);
      const members = context.text('scope_schema_url', scopeSchemaUrl).toString();
      for (const record of records) yield [record, members];
      yield undefined;
    }
    yield undefined;
  }
}

/** A line for each record. The members of its resource and scope follow its own. */
export function* linesOf<R>(request: ExportRequest<R>, write: (record: R) => LineWriter): Lines {
  for (const found of recordsOf(request)) {
    if (!found) yield undefined;
    else {
      const [record, members] = found;
      yield write(record).members(members).toString();
    }
  }
}

/** The one attribute that most queries use has a column of its own, if it is a text. */
const SERVICE_NAME = '"service.name":';
const isServiceName = (member: string): boolean => member.startsWith(`${SERVICE_NAME}"`);

function writeResource(to: LineWriter, resource: Resource): void {
  const { attributes, droppedAttributesCount, entityRefs } = resource;
  if (attributes) {
    to.json('service_name', attributes.find(isServiceName)?.slice(SERVICE_NAME.length));
    to.json('resource', objectOf(attributes));
  }
  to.integer('resource_dropped_attributes_count', droppedAttributesCount);
  if (entityRefs) to.json('resource_entity_refs', JSON.stringify(entityRefs));
}

function writeScope(to: LineWriter, scope: Scope): void {
  const { name, version } = scope;
  const inner = new LineWriter().text('name', name).text('version', version);
  writeAttributes(inner, scope);
  if (inner.toString() !== '') to.json('scope', inner.object());
}

export function writeAttributes(
  to: LineWriter,
  { attributes, droppedAttributesCount }: Attributed,
): void {
  if (attributes) to.json('attributes', objectOf(attributes));
  to.integer('dropped_attributes_count', droppedAttributesCount);
}
