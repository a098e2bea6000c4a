import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../api/use-action.js';
import { AS_TYPED } from './as-typed.js';
import { Failure } from '../frame/failure.js';

interface Props {
  /** It is a stream or an organization, in words. */
  readonly what: string;
  readonly name: string;
  readonly remove: () => Promise<void>;
  /** They say what is deleted with it. */
  readonly children: ComponentChildren;
}

/** Deletes something for good, therefore with its name typed. */
export function TypedNameForm({ what, name, remove, children }: Props) {
  const [typed, setTyped] = useState('');
  const deleting = useAction();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    deleting.run(async () => {
      await remove();
      return undefined;
    });
  };
  return (
    <form class="settings" aria-label={`Delete ${name}`} onSubmit={submit}>
      <p>{children} Type its name to do so.</p>
      <div class="bar">
        <label>
          Name of the {what}
          <input
            {...AS_TYPED}
            autocomplete="off"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
        <button type="submit" class="danger" disabled={typed !== name || deleting.isBusy}>
          Delete {name}
        </button>
      </div>
      <Failure words={deleting.failure} />
    </form>
  );
}
