import { message } from '../protobuf/messages.js';
import { shape } from '../protobuf/codec.js';
import { LineWriter } from '../protobuf/line.js';
import { fixed32, fixed64, hexBytes, oneOf, text, uint32 } from '../protobuf/protobuf-scalars.js';
import type { Lines } from '../upload/line-uploads.js';
import { keyValue } from './any-value.js';
import {
  linesOf,
  requestShape,
  writeAttributes,
  type Attributed,
  type ExportRequest,
} from './resource-scope.js';

const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'];
const STATUSES = ['UNSET', 'OK', 'ERROR'];

const EVENT = shape({
  1: ['time_unix_nano', fixed64],
  2: ['name', text],
  3: ['attributes', keyValue, 'list'],
  4: ['dropped_attributes_count', uint32],
});
const LINK = shape({
  1: ['trace_id', hexBytes],
  2: ['span_id', hexBytes],
  3: ['trace_state', text],
  4: ['attributes', keyValue, 'list'],
  5: ['dropped_attributes_count', uint32],
  6: ['flags', fixed32],
});
const STATUS = shape({
  2: ['message', text],
  3: ['code', oneOf(STATUSES.map((name) => `STATUS_CODE_${name}`))],
});
const SPAN = shape({
  1: ['trace_id', hexBytes],
  2: ['span_id', hexBytes],
  3: ['trace_state', text],
  4: ['parent_span_id', hexBytes],
  5: ['name', text],
  6: ['kind', oneOf(KINDS.map((name) => `SPAN_KIND_${name}`))],
  7: ['start_time_unix_nano', fixed64],
  8: ['end_time_unix_nano', fixed64],
  9: ['attributes', keyValue, 'list'],
  10: ['dropped_attributes_count', uint32],
  11: ['events', message(EVENT), 'list'],
  12: ['dropped_events_count', uint32],
  13: ['links', message(LINK), 'list'],
  14: ['dropped_links_count', uint32],
  15: ['status', message(STATUS)],
  16: ['flags', fixed32],
});

/** The request of `POST …/v1/traces`. */
export const TRACES_REQUEST = requestShape(
  ['resource_spans', 'scope_spans', 'spans'],
  message(SPAN),
);

interface Event extends Attributed {
  readonly timeUnixNano?: bigint;
  readonly name?: string;
}
interface Context {
  readonly traceId?: string;
  readonly spanId?: string;
  readonly traceState?: string;
  readonly flags?: number;
}
type Link = Context & Attributed;
interface Span extends Context, Attributed {
  readonly parentSpanId?: string;
  readonly name?: string;
  readonly kind?: number;
  readonly startTimeUnixNano?: bigint;
  readonly endTimeUnixNano?: bigint;
  readonly events?: readonly Event[];
  readonly droppedEventsCount?: number;
  readonly links?: readonly Link[];
  readonly droppedLinksCount?: number;
  readonly status?: { readonly message?: string; readonly code?: number };
}

/** One JSON object for each span, without its braces. */
export const spanLines = (request: ExportRequest<Span>): Lines => linesOf(request, lineOf);

function lineOf(span: Span): LineWriter {
  const { startTimeUnixNano: start = 0n, endTimeUnixNano: end = 0n, events, links } = span;
  const { kind = 0, status: { message: statusMessage, code = 0 } = {} } = span;
  const line = new LineWriter().time(start === 0n ? end : start);
  writeContext(line, span);
  line
    .text('parent_span_id', span.parentSpanId)
    .text('name', span.name)
    .integer('kind', kind)
    .text('kind_text', kind === 0 ? undefined : KINDS[kind])
    .integer('start_time_unix_nano', start)
    .integer('end_time_unix_nano', end);
  if (start !== 0n && end !== 0n) line.json('duration_nano', String(end - start));
  line
    .integer('status_code', code)
    .text('status_code_text', code === 0 ? undefined : STATUSES[code])
    .text('status_message', statusMessage);
  writeAttributes(line, span);
  if (events) line.json('events', `[${events.map(eventObject).join(',')}]`);
  line.integer('dropped_events_count', span.droppedEventsCount);
  if (links) line.json('links', `[${links.map(linkObject).join(',')}]`);
  line.integer('dropped_links_count', span.droppedLinksCount);
  return line;
}

function writeContext(line: LineWriter, { traceId, spanId, traceState, flags }: Context): void {
  line.text('trace_id', traceId).text('span_id', spanId);
  line.text('trace_state', traceState).integer('flags', flags);
}

function eventObject(event: Event): string {
  const written = new LineWriter();
  written.integer('time_unix_nano', event.timeUnixNano).text('name', event.name);
  writeAttributes(written, event);
  return written.object();
}

function linkObject(link: Link): string {
  const written = new LineWriter();
  writeContext(written, link);
  writeAttributes(written, link);
  return written.object();
}
