import { useState } from 'preact/hooks';
import { rowFields, spread, type RawValue } from '../grid/row-fields.js';
import { CopyButton } from '../frame/copy-button.js';
import { pieceFor } from './condition.js';
import { preciseTime } from '../time/time-text.js';

/** A record with a key that stays the same when other records come. */
export interface Line {
  readonly key: string;
  readonly json: string;
}

interface Props {
  readonly lines: readonly Line[];
  /** The JSON of the record whose neighbours are shown. */
  readonly middle?: string | undefined;
  /** Is called when a value is clicked, with the text to type into the search for it. */
  readonly onPiece: (piece: string) => void;
  readonly onAround: (json: string, timestamp: string) => void;
}

/** Most programs call the text of a line by one of these names. */
const TEXTS = ['message', 'msg', 'log', 'body', 'content', 'event'];
const LETTERS_MAX = 1000;

/** Shows records as lines of a log, each of which opens. */
export function Lines({ lines, middle, onPiece, onAround }: Props) {
  return (
    <ol class="lines" aria-label="Records, newest first">
      {lines.map(({ key, json }) => (
        <li key={key} class={json === middle ? 'middle' : ''}>
          <LineOf json={json} onPiece={onPiece} onAround={onAround} />
        </li>
      ))}
    </ol>
  );
}

function LineOf({ json, onPiece, onAround }: Omit<Props, 'lines'> & { readonly json: string }) {
  const [isOpen, setOpen] = useState(false);
  const fields = rowFields(json);
  const timestamp = fields.get('_timestamp')?.text ?? '0';
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <time>{preciseTime(timestamp)}</time> <span class="text">{textOf(fields, json)}</span>
      </summary>
      {isOpen && (
        <div class="record">
          <div class="bar">
            <button type="button" onClick={() => onAround(json, timestamp)}>
              Show what is around
            </button>
            <CopyButton text={json} name="Copy as JSON" />
          </div>
          <dl>
            {[...fields].map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd class={value.kind}>
                  <ValueOf name={name} value={value} onPiece={onPiece} />
                </dd>
              </div>
            ))}
          </dl>
        </div>
      )}
    </details>
  );
}

function ValueOf({
  name,
  value: { kind, text },
  onPiece,
}: {
  readonly name: string;
  readonly value: RawValue;
  readonly onPiece: Props['onPiece'];
}) {
  if (name === '_timestamp') return <>{`${preciseTime(text)} UTC`}</>;
  if (kind === 'nested') return <pre>{spread(text)}</pre>;
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  return (
    <>
      <span>{text}</span>{' '}
      <span class="narrow-by">
        <button
          type="button"
          class="quiet"
          aria-label={`Only where ${name} is ${short}`}
          title="Only these"
          onClick={() => onPiece(pieceFor(name, '=', text))}
        >
          =
        </button>
        <button
          type="button"
          class="quiet"
          aria-label={`Only where ${name} is not ${short}`}
          title="All but these"
          onClick={() => onPiece(pieceFor(name, '!=', text))}
        >
          ≠
        </button>
      </span>
    </>
  );
}

function textOf(fields: ReadonlyMap<string, RawValue>, json: string): string {
  const text = TEXTS.map((name) => fields.get(name)).find((value) => value?.kind === 'text')?.text;
  const others = [...fields].filter(([name]) => name !== '_timestamp');
  const all = text ?? others.map(([name, value]) => `${name}=${value.text}`).join(' ');
  return (all === '' ? json : all).slice(0, LETTERS_MAX);
}
