import { useState } from 'preact/hooks';
import { NotSent } from '../api/request.js';
import { changeSettings } from '../api/streams.js';
import { useAction } from '../api/use-action.js';
import { AS_TYPED } from '../form/as-typed.js';
import { Failure } from '../frame/failure.js';
import { formText } from '../form/form-text.js';
import { TypeInput } from './type-input.js';

interface Props {
  readonly organization: string;
  /** These are the names of the streams that there are. */
  readonly names: readonly string[];
  readonly onDeclared: () => void;
}

/** Makes a stream before its first record, with the type of one field; its settings take more. */
export function DeclareForm({ organization, names, onDeclared }: Props) {
  const [type, setType] = useState('');
  const declaring = useAction();
  const declare = (event: SubmitEvent): void => {
    event.preventDefault();
    const { currentTarget: form } = event;
    const stream = formText(form, 'stream').trim();
    const field = formText(form, 'field').trim();
    declaring.run(async () => {
      if (names.includes(stream))
        throw new NotSent(
          `There is a stream ${stream} already: its settings have types of fields.`,
        );
      await changeSettings(organization, stream, { columns: { [field]: type.trim() } });
      if (form instanceof HTMLFormElement) form.reset();
      setType('');
      onDeclared();
      return `${stream} is there, and takes records.`;
    });
  };
  return (
    <form class="settings" aria-labelledby="declare" onSubmit={declare}>
      <h2 id="declare">Declare a stream</h2>
      <p class="hint">
        An upload makes its stream by itself. Declare one where a field must have a type from the
        first record on, such as a decimal; its settings take further fields.
      </p>
      <div class="bar">
        <label>
          Name of the stream
          <input {...AS_TYPED} name="stream" required autocomplete="off" />
        </label>
        <label>
          Field
          <input {...AS_TYPED} name="field" required autocomplete="off" />
        </label>
        <TypeInput list="declared-types" value={type} onInput={setType} />
        <button type="submit" disabled={declaring.isBusy}>
          Declare it
        </button>
      </div>
      <p role="status">{declaring.done}</p>
      <Failure words={declaring.failure} />
    </form>
  );
}
