import { MillraceError } from '@app/platform';
import { firstVisible } from '../frame/frame-records.js';
import { parseAction, type BulkAction } from './bulk-action.js';
import { BulkItems } from './bulk-items.js';

const [NEWLINE, OPEN_OBJECT, CLOSE_OBJECT] = [0x0a, 0x7b, 0x7d];
const LINES_LOST = '; curl -d takes line breaks out of a file, --data-binary keeps them';
const ACTION_BYTES_MAX = 64 * 1024;
const ACTIONS_REMEMBERED = 1000;
/**
 * A longer action line is read again each time. Clients write far shorter ones, and all that are
 * remembered must stay small beside a request's body: these take half a megabyte.
 */
const REMEMBERED_LENGTH_MAX = 512;
const NO_BYTES = Buffer.alloc(0);
const LINE_BREAK = Buffer.from('\n');

/** Documents by the stream they go to, one a line. */
export type StreamBytes = ReadonlyMap<string, Buffer>;

/**
 * Separates a bulk body's documents from its action lines, by line breaks only: a document's bytes go
 * on as they are. An action line that came before is not read again. A document's `_id` becomes
 * its first field.
 */
export class BulkFramer {
  readonly items = new BulkItems();
  private readonly known = new Map<string, BulkAction>();
  private lastLine: Buffer = NO_BYTES;
  private lastAction: BulkAction | undefined;
  /** The action whose document is being read. Undefined means that an action line is being read. */
  private action: BulkAction | undefined;
  /** The bytes that have been read of an action line. */
  private begun: Buffer = NO_BYTES;
  /** The number of bytes of the document so far. */
  private seen: 'nothing' | 'blank' | 'brace' | 'all' = 'nothing';
  private lines = 0;
  private out = new Map<string, Buffer[]>();

  /** @param defaultStream of actions that name none */
  constructor(private readonly defaultStream: string | undefined) {}

  /** @returns the piece's documents: views of the piece. @throws {MillraceError} */
  push(piece: Buffer): StreamBytes {
    let at = 0;
    while (at < piece.length) {
      const newline = piece.indexOf(NEWLINE, at);
      const end = newline < 0 ? piece.length : newline + 1;
      const chunk = piece.subarray(at, end);
      if (this.action) this.document(this.action, chunk, newline >= 0);
      else this.actionLine(chunk, newline >= 0);
      at = end;
    }
    return this.take();
  }

  /** @throws {MillraceError} when the body ends where a document should follow. */
  end(): StreamBytes {
    if (!this.action && this.begun.length > 0) this.actionLine(LINE_BREAK, true);
    if (this.action && this.seen === 'nothing')
      throw this.malformed('the action has no document after it; was the body cut off?');
    if (this.action) this.document(this.action, LINE_BREAK, true);
    return this.take();
  }

  private actionLine(chunk: Buffer, whole: boolean): void {
    if (this.begun.length + chunk.length > ACTION_BYTES_MAX) {
      this.lines += 1;
      throw this.malformed(`an action may have at most ${ACTION_BYTES_MAX} bytes`);
    }
    if (!whole) {
      this.begun = Buffer.concat([this.begun, chunk]);
      return;
    }
    const line = this.begun.length === 0 ? chunk : Buffer.concat([this.begun, chunk]);
    this.begun = NO_BYTES;
    this.lines += 1;
    const action = this.actionOf(line);
    if (!action) return;
    this.items.add(action);
    if (!action.hasDocument) return;
    this.action = action;
    this.seen = 'nothing';
  }

  /** @returns undefined for a blank line. */
  private actionOf(line: Buffer): BulkAction | undefined {
    if (this.lastAction && line.equals(this.lastLine)) return this.lastAction;
    const text = line.toString('utf8').trim();
    if (text === '') return undefined;
    const action = this.known.get(text) ?? parseAction(text, this.defaultStream);
    if (!action)
      throw this.malformed(
        `want an action such as {"index":{"_index":"logs"}}, on one line${text.includes('}{') ? LINES_LOST : ''}`,
      );
    if (action.id === undefined && this.mayRemember(text)) this.known.set(text, action);
    if (action.id === undefined) {
      this.lastLine = Buffer.from(line);
      this.lastAction = action;
    }
    return action;
  }

  private mayRemember({ length }: string): boolean {
    return length <= REMEMBERED_LENGTH_MAX && this.known.size < ACTIONS_REMEMBERED;
  }

  private document(action: BulkAction, chunk: Buffer, whole: boolean): void {
    const { stream } = action;
    if (stream === undefined) this.seen = 'all';
    else this.write(stream, action, chunk);
    if (!whole) return;
    this.lines += 1;
    this.action = undefined;
    if (this.seen === 'nothing' || this.seen === 'blank')
      this.items.refuseLast({
        type: 'document_parsing_exception',
        reason: 'the document is empty; want a JSON object',
      });
  }

  private write(stream: string, { id }: BulkAction, chunk: Buffer): void {
    if (this.seen === 'all') return this.put(stream, chunk);
    let at = 0;
    if (this.seen !== 'brace') {
      this.seen = 'blank';
      at = firstVisible(chunk, 0);
      if (at === chunk.length) return this.put(stream, chunk);
      if (id === undefined || chunk[at] !== OPEN_OBJECT) {
        this.seen = 'all';
        return this.put(stream, chunk);
      }
      this.put(stream, chunk.subarray(0, at));
      this.put(stream, Buffer.from(`{"_id":${JSON.stringify(id)}`));
      at += 1;
      this.seen = 'brace';
    }
    const next = firstVisible(chunk, at);
    // The rest of the line is blank too.
    if (next < chunk.length || chunk.at(-1) === NEWLINE) this.seen = 'all';
    this.put(stream, chunk.subarray(at, next));
    if (next === chunk.length) return;
    if (chunk[next] !== CLOSE_OBJECT) this.put(stream, COMMA);
    this.put(stream, chunk.subarray(next));
  }

  private put(stream: string, bytes: Buffer): void {
    const begun = this.out.get(stream);
    if (begun) begun.push(bytes);
    else this.out.set(stream, [bytes]);
  }

  private take(): StreamBytes {
    const taken = new Map([...this.out].map(([stream, bodies]) => [stream, Buffer.concat(bodies)]));
    this.out.clear();
    return taken;
  }

  private malformed(message: string): MillraceError {
    return new MillraceError(
      'MALFORMED_BODY',
      `malformed bulk request: line ${this.lines}: ${message}`,
    );
  }
}

const COMMA = Buffer.from(',');
