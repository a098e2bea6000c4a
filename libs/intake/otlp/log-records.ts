import { message } from '../protobuf/messages.js';
import { shape } from '../protobuf/codec.js';
import { LineWriter } from '../protobuf/line.js';
import { fixed32, fixed64, hexBytes, oneOf, text, uint32 } from '../protobuf/protobuf-scalars.js';
import type { Lines } from '../upload/line-uploads.js';
import { anyValue, keyValue, type AnyValue } from './any-value.js';
import {
  linesOf,
  requestShape,
  writeAttributes,
  type Attributed,
  type ExportRequest,
} from './resource-scope.js';

const LEVELS = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'];
const SEVERITIES = [
  'SEVERITY_NUMBER_UNSPECIFIED',
  ...LEVELS.flatMap((level) => ['', '2', '3', '4'].map((nth) => `SEVERITY_NUMBER_${level}${nth}`)),
];

const LOG_RECORD = shape({
  1: ['time_unix_nano', fixed64],
  2: ['severity_number', oneOf(SEVERITIES)],
  3: ['severity_text', text],
  5: ['body', anyValue],
  6: ['attributes', keyValue, 'list'],
  7: ['dropped_attributes_count', uint32],
  8: ['flags', fixed32],
  9: ['trace_id', hexBytes],
  10: ['span_id', hexBytes],
  11: ['observed_time_unix_nano', fixed64],
  12: ['event_name', text],
});

/** The request of `POST …/v1/logs`. */
export const LOGS_REQUEST = requestShape(
  ['resource_logs', 'scope_logs', 'log_records'],
  message(LOG_RECORD),
);

interface LogRecord extends Attributed {
  readonly timeUnixNano?: bigint;
  readonly observedTimeUnixNano?: bigint;
  readonly severityNumber?: number;
  readonly severityText?: string;
  readonly body?: AnyValue;
  readonly flags?: number;
  readonly traceId?: string;
  readonly spanId?: string;
  readonly eventName?: string;
}

/** One JSON object for each log record, without its braces. */
export const logLines = (request: ExportRequest<LogRecord>): Lines => linesOf(request, lineOf);

function lineOf(record: LogRecord): LineWriter {
  const { timeUnixNano, observedTimeUnixNano } = record;
  const line = new LineWriter()
    .time(timeUnixNano === undefined || timeUnixNano === 0n ? observedTimeUnixNano : timeUnixNano)
    .integer('time_unix_nano', timeUnixNano)
    .integer('observed_time_unix_nano', observedTimeUnixNano)
    .integer('severity_number', record.severityNumber)
    .text('severity_text', record.severityText)
    .text('event_name', record.eventName);
  if (record.body) writeBody(line, record.body);
  line
    .text('trace_id', record.traceId)
    .text('span_id', record.spanId)
    .integer('flags', record.flags);
  writeAttributes(line, record);
  return line;
}

/**
 * A column has one type. So texts go into `body`, maps into `body_fields`, and other values become
 * the text of their JSON; `body_type` names the type.
 */
function writeBody(line: LineWriter, { kind, json }: AnyValue): void {
  if (kind === 'string') line.json('body', json);
  else if (kind === 'kvlist') line.json('body_fields', json);
  else line.json('body', kind === 'bytes' ? json : JSON.stringify(json)).text('body_type', kind);
}
