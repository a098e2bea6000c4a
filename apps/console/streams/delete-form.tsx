import { useState } from 'preact/hooks';
import { deleteStream } from '../api/streams.js';
import { useAction } from '../api/use-action.js';
import { Failure } from '../frame/failure.js';

interface Props {
  readonly organization: string;
  readonly stream: string;
  readonly records: number;
  readonly onDeleted: () => void;
}

/** For good, therefore with the name typed. */
export function DeleteForm({ organization, stream, records, onDeleted }: Props) {
  const [typed, setTyped] = useState('');
  const deleting = useAction();
  const remove = (event: SubmitEvent): void => {
    event.preventDefault();
    deleting.run(async () => {
      await deleteStream(organization, stream);
      onDeleted();
      return undefined;
    });
  };
  return (
    <form class="settings" aria-label={`Delete ${stream}`} onSubmit={remove}>
      <p>
        Deletes {stream} with its {records.toLocaleString()} records and what was rejected of it,
        for good. Type its name to do so.
      </p>
      <div class="bar">
        <label>
          Name of the stream
          <input
            autocomplete="off"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
        <button type="submit" class="danger" disabled={typed !== stream || deleting.isBusy}>
          Delete {stream}
        </button>
      </div>
      <Failure words={deleting.failure} />
    </form>
  );
}
