import { certain } from '@app/platform';
import { streamNameProblem } from '@app/streams';

/** Tells why an item was not stored, in Elasticsearch's shape. */
export interface BulkError {
  readonly type: string;
  readonly reason: string;
  /** The item's status; 400 when it is not said. */
  readonly status?: number;
}

/** The action that an action line requests. */
export interface BulkAction {
  /** The item of the answer, as JSON without its end: `{"index":{"_index":"logs"`. */
  readonly item: string;
  /** Tells whether the next line is its document. */
  readonly hasDocument: boolean;
  /** The stream for the document; undefined: the document is not stored, see `error`. */
  readonly stream?: string;
  readonly id?: string;
  readonly error?: BulkError;
}

const WITH_DOCUMENT: ReadonlySet<string> = new Set(['index', 'create', 'update']);
const STORING: ReadonlySet<string> = new Set(['index', 'create']);
const ACTIONS: ReadonlySet<string> = new Set([...WITH_DOCUMENT, 'delete']);
const ID_BYTES_MAX = 512;

/**
 * Reads an action line.
 * @param defaultStream of actions that name none
 * @returns undefined when the line is no action
 */
export function parseAction(
  line: string,
  defaultStream: string | undefined,
): BulkAction | undefined {
  const [verb, target] = actionIn(line) ?? [];
  if (verb === undefined || target === undefined) return undefined;
  const { _index: index = defaultStream, _id: sentId } = target;
  const id = typeof sentId === 'number' ? numberAsSent(line, verb, sentId) : sentId;
  const error = problemOf(verb, index, id);
  const named = typeof index === 'string' ? index : '';
  const shownId = typeof id === 'string' ? `,"_id":${JSON.stringify(id)}` : '';
  return {
    item: `{"${verb}":{"_index":${JSON.stringify(named)}${shownId}`,
    hasDocument: WITH_DOCUMENT.has(verb),
    ...(error ? { error } : { stream: named, ...(typeof id === 'string' ? { id } : {}) }),
  };
}

const PLAIN_ID = /"_id"\s*:\s*(\d{1,15})\s*[,}]/;
/** Tokens of JSON: a text, a sign, or a word or number. */
const PIECES = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

/**
 * The number as its client wrote it, because parsing would change a long id. The line is JSON, and
 * may be nested very deeply, so this does not recurse.
 */
function numberAsSent(line: string, verb: string, id: number): string {
  const plain = String(id);
  if (PLAIN_ID.exec(line)?.[1] === plain) return plain;
  const names: string[] = [];
  let depth = 0;
  let before = '';
  let sent: string | undefined;
  for (const [piece] of line.matchAll(PIECES)) {
    if (piece === '{' || piece === '[') depth += 1;
    else if (piece === '}' || piece === ']') depth -= 1;
    else if (piece === ':') names[depth] = JSON.parse(before) as string;
    else if (depth === 2 && before === ':' && names[1] === verb && names[2] === '_id') sent = piece;
    before = piece;
  }
  return certain(sent, 'place of an id');
}

/** An action with an `_id`, as nearly all clients write it. */
const USUAL =
  /^\{ ?"(index|create)": ?\{ ?(?:"_index": ?"([^"\\\p{Cc}]*)", ?)?"_id": ?"([^"\\\p{Cc}]*)" ?\} ?\}$/u;

/** Clients add keys of their own beside the action, which Elasticsearch ignores. */
function actionIn(line: string): [string, Record<string, unknown>] | undefined {
  // Such lines differ each time. To parse one takes three times as long.
  const usual = USUAL.exec(line);
  if (usual) {
    const [, verb = '', index, id] = usual;
    return [verb, index === undefined ? { _id: id } : { _index: index, _id: id }];
  }
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const found = (Object.entries(value) as [string, unknown][]).filter(([key]) => ACTIONS.has(key));
  const [only, other] = found;
  if (!only || other) return undefined;
  const [verb, target] = only;
  if (typeof target !== 'object' || target === null || Array.isArray(target)) return undefined;
  return [verb, target as Record<string, unknown>];
}

function problemOf(verb: string, index: unknown, id: unknown): BulkError | undefined {
  if (!STORING.has(verb))
    return {
      type: 'illegal_argument_exception',
      reason: `${verb} is not supported: a stream's records stay as they came; send index or create`,
    };
  if (index === undefined || index === '')
    return {
      type: 'action_request_validation_exception',
      reason: 'the action names no stream; name one by "_index", or in the path',
    };
  const badName = typeof index === 'string' ? streamNameProblem(index) : '_index: want a text';
  if (badName !== undefined) return { type: 'invalid_index_name_exception', reason: badName };
  if (id === undefined || id === null) return undefined;
  if (typeof id === 'string' && id !== '' && Buffer.byteLength(id) <= ID_BYTES_MAX)
    return undefined;
  return {
    type: 'illegal_argument_exception',
    reason: `_id: want a text of 1 to ${ID_BYTES_MAX} bytes`,
  };
}
