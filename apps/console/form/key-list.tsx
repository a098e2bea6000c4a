import { useEffect, useRef, useState } from 'preact/hooks';
import { AS_TYPED } from './as-typed.js';

interface Props {
  readonly legend: string;
  readonly hint: string;
  /** It is the id of a list in the document, which has what may be chosen. */
  readonly id: string;
  /** One of these is chosen. */
  readonly kind: 'Field' | 'Stream';
  readonly offered: readonly string[];
  readonly keys: readonly string[];
  readonly onChange: (keys: readonly string[]) => void;
}

/** Lets somebody choose fields, or other names, for something. */
export function KeyList({ legend, hint, id, kind, offered, keys, onChange }: Props) {
  const [typed, setTyped] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // A name that is typed and not chosen would be left out without a word.
    input.current?.setCustomValidity(typed === '' ? '' : 'Press Add first, or leave this empty.');
  }, [typed]);
  const add = (): void => {
    if (typed !== '' && !keys.includes(typed)) onChange([...keys, typed]);
    setTyped('');
  };
  return (
    <fieldset>
      <legend>{legend}</legend>
      <p class="hint">{hint}</p>
      <ul class="keys">
        {keys.map((name) => (
          <li key={name}>
            <code>{name}</code>
            <button
              type="button"
              aria-label={`Remove ${name} from: ${legend}`}
              onClick={() => onChange(keys.filter((each) => each !== name))}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      <div class="bar">
        <input
          {...AS_TYPED}
          ref={input}
          aria-label={`${kind} for: ${legend}`}
          list={id}
          value={typed}
          placeholder={kind.toLowerCase()}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // Enter would send the whole form otherwise.
            event.preventDefault();
            add();
          }}
        />
        <datalist id={id}>
          {offered.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <button type="button" disabled={typed === ''} onClick={add}>
          Add
        </button>
      </div>
    </fieldset>
  );
}
