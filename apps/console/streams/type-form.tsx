import { useState } from 'preact/hooks';
import type { Field } from '../api/schema.js';
import { changeSettings } from '../api/streams.js';
import { useAction } from '../api/use-action.js';
import { AS_TYPED } from '../form/as-typed.js';
import { Failure } from '../frame/failure.js';
import { TypeInput } from './type-input.js';

interface Props {
  readonly organization: string;
  readonly stream: string;
  readonly fields: readonly Field[];
  readonly onChanged: () => void;
}

/** Declares the type of a field, before its first value or where each value stays what it is. */
export function TypeForm({ organization, stream, fields, onChanged }: Props) {
  const [field, setField] = useState('');
  const [type, setType] = useState('');
  const declaring = useAction();
  const declare = (event: SubmitEvent): void => {
    event.preventDefault();
    declaring.run(async () => {
      await changeSettings(organization, stream, { columns: { [field]: type.trim() } });
      onChanged();
      setField('');
      setType('');
      return `${field} is ${type.trim()}.`;
    });
  };
  return (
    <form class="settings" aria-label={`Type of a field of ${stream}`} onSubmit={declare}>
      <h3>Type of a field</h3>
      <p class="hint">
        A new field, or one that becomes wider: a number may become text, a text no number.
      </p>
      <div class="bar">
        <label>
          Field
          <input
            {...AS_TYPED}
            required
            list={`${stream}-fields`}
            value={field}
            onInput={({ currentTarget }) => setField(currentTarget.value)}
          />
        </label>
        <datalist id={`${stream}-fields`}>
          {fields.map(({ name }) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <TypeInput list={`${stream}-types`} value={type} onInput={setType} />
        <button type="submit" disabled={declaring.isBusy}>
          Set type
        </button>
        <span role="status">{declaring.done}</span>
      </div>
      <Failure words={declaring.failure} />
    </form>
  );
}
