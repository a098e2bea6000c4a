import { useState } from 'preact/hooks';
import { addMember, registerMember } from '../api/people.js';
import { useAction } from '../api/use-action.js';
import { Failure } from '../frame/failure.js';
import { formText } from '../form/form-text.js';
import { RoleSelect } from './role-select.js';

interface Props {
  readonly organization: string;
  readonly onChanged: () => void;
}

/** The server's words for an e-mail without an account, to those who may know that. */
const UNKNOWN = 'User not found';
const MAKE_ONE = 'Nobody has an account with this e-mail. Tick the box above to make one.';

/** Somebody with an account is added or invited; for somebody without one an account is made. */
export function AddForm({ organization, onChanged }: Props) {
  const [role, setRole] = useState('viewer');
  const [isNew, setNew] = useState(false);
  const adding = useAction();
  const add = (event: SubmitEvent): void => {
    event.preventDefault();
    const { currentTarget: form } = event;
    const text = (name: string): string => formText(form, name);
    const email = text('email').trim();
    adding.run(async () => {
      const account = {
        email,
        first_name: text('first').trim(),
        last_name: text('last').trim(),
        password: text('password'),
        role,
      };
      const isAdded = isNew
        ? await registerMember(organization, account)
        : await addMember(organization, email, role);
      if (form instanceof HTMLFormElement) form.reset();
      setNew(false);
      onChanged();
      return isAdded
        ? `${email} is ${role} of ${organization} now.`
        : `${email} is invited, and sees it after signing in. Only they can accept.`;
    });
  };
  return (
    <form class="settings" aria-labelledby="add-somebody" onSubmit={add}>
      <h2 id="add-somebody">Add somebody</h2>
      <div class="bar">
        <label>
          E-mail
          <input name="email" type="email" required autocomplete="off" />
        </label>
        <label>
          Role
          <RoleSelect label="Role" role={role} onChange={setRole} />
        </label>
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={isNew}
          onChange={({ currentTarget }) => setNew(currentTarget.checked)}
        />
        They have no account yet: make one
      </label>
      {isNew && (
        <div class="bar">
          <label>
            First name
            <input name="first" autocomplete="off" />
          </label>
          <label>
            Last name
            <input name="last" autocomplete="off" />
          </label>
          <label>
            Password, which you tell them
            <input name="password" type="password" required autocomplete="new-password" />
          </label>
        </div>
      )}
      <div class="bar">
        <button type="submit" class="primary" disabled={adding.isBusy}>
          {isNew ? 'Make the account' : 'Add or invite'}
        </button>
        <span role="status">{adding.done}</span>
      </div>
      <Failure words={adding.failure === UNKNOWN ? MAKE_ONE : adding.failure} />
    </form>
  );
}
