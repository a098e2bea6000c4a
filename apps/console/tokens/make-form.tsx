import { useState } from 'preact/hooks';
import { dayEnd } from '../api/day-end.js';
import { makeToken, TOKEN_ROLES } from '../api/tokens.js';
import { useAction } from '../api/use-action.js';
import { AS_TYPED } from '../form/as-typed.js';
import { Failure } from '../frame/failure.js';
import { formText } from '../form/form-text.js';
import { KeyList } from '../form/key-list.js';

interface Props {
  readonly organization: string;
  /** These are the names of the streams that there are. */
  readonly streams: readonly string[];
  readonly onMade: (name: string, secret: string) => void;
}

export function MakeForm({ organization, streams, onMade }: Props) {
  const [only, setOnly] = useState<readonly string[]>([]);
  const making = useAction();
  const make = (event: SubmitEvent): void => {
    event.preventDefault();
    const { currentTarget: form } = event;
    const text = (field: string): string => formText(form, field);
    const [name, until] = [text('name').trim(), text('until')];
    making.run(async () => {
      const secret = await makeToken(organization, {
        name,
        role: text('role'),
        streams: only.length === 0 ? null : only,
        expires_at: until === '' ? null : dayEnd(until),
      });
      if (form instanceof HTMLFormElement) form.reset();
      setOnly([]);
      onMade(name, secret);
      return undefined;
    });
  };
  return (
    <form class="settings" aria-labelledby="make-token" onSubmit={make}>
      <h2 id="make-token">Make a token</h2>
      <div class="bar">
        <label>
          Name, such as the program’s
          <input {...AS_TYPED} name="name" required autocomplete="off" />
        </label>
        <label>
          Role
          <select name="role">
            {TOKEN_ROLES.map((role) => (
              <option key={role} value={role}>
                {role}
              </option>
            ))}
          </select>
        </label>
        <label>
          Good until the end of (UTC)
          <input name="until" type="date" />
        </label>
      </div>
      <p class="hint">
        A viewer queries; a member or an editor uploads too. Without a day it is good until it is
        revoked.
      </p>
      <KeyList
        legend="Only for these streams"
        hint="Without any it is for all that there are, and will be."
        id="token-streams"
        kind="Stream"
        offered={streams}
        keys={only}
        onChange={setOnly}
      />
      <div class="bar">
        <button type="submit" class="primary" disabled={making.isBusy}>
          Make the token
        </button>
      </div>
      <Failure words={making.failure} />
    </form>
  );
}
