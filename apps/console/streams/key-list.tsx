import { useState } from 'preact/hooks';

interface Props {
  readonly legend: string;
  readonly hint: string;
  /** Names a list of fields in the document that may be chosen. */
  readonly id: string;
  readonly offered: readonly string[];
  readonly keys: readonly string[];
  readonly onChange: (keys: readonly string[]) => void;
}

/** Fields that are chosen for something. */
export function KeyList({ legend, hint, id, offered, keys, onChange }: Props) {
  const [typed, setTyped] = useState('');
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
          aria-label={`Field for: ${legend}`}
          list={id}
          value={typed}
          placeholder="field"
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // Else the whole form would go.
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
