import { changePassword } from '../api/people.js';
import { NotSent } from '../api/request.js';
import { useAction } from '../api/use-action.js';
import { Failure } from '../frame/failure.js';
import { formText } from '../form/form-text.js';

interface Props {
  readonly organization: string;
  readonly email: string;
  readonly onChanged: () => void;
}

/** Every session ends when the password changes, including this one. */
export function PasswordForm({ organization, email, onChanged }: Props) {
  const changing = useAction();
  const change = (event: SubmitEvent): void => {
    event.preventDefault();
    const { currentTarget: form } = event;
    const before = formText(form, 'old');
    const wanted = formText(form, 'new');
    changing.run(async () => {
      if (wanted !== formText(form, 'again')) throw new NotSent('The two new passwords differ.');
      await changePassword(organization, email, before, wanted);
      onChanged();
      return 'Your password is changed.';
    });
  };
  return (
    <form class="settings" aria-labelledby="change-password" onSubmit={change}>
      <h2 id="change-password">Change your password</h2>
      <input type="hidden" name="username" autocomplete="username" value={email} />
      <div class="bar">
        <label>
          Present password
          <input name="old" type="password" required autocomplete="current-password" />
        </label>
        <label>
          New password
          <input name="new" type="password" required autocomplete="new-password" />
        </label>
        <label>
          New password again
          <input name="again" type="password" required autocomplete="new-password" />
        </label>
        <button type="submit" class="primary" disabled={changing.isBusy}>
          Change it
        </button>
      </div>
      <p class="hint">You are signed out then, in every browser.</p>
      <p role="status">{changing.done}</p>
      <Failure words={changing.failure} />
    </form>
  );
}
