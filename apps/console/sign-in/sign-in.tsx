import { useState } from 'preact/hooks';
import { wordsOf } from '../api/request.js';
import { signIn } from '../api/session.js';
import { readSignUpRule } from '../api/sign-up.js';
import { useAnswer } from '../api/use-answer.js';
import { formText } from '../form/form-text.js';
import { SignUp } from './sign-up.js';

interface Props {
  readonly notice: string | undefined;
  readonly onSignedIn: () => void;
}

/** The password goes to the server once; the browser keeps a cookie that no script can read. */
export function SignIn({ notice, onSignedIn }: Props) {
  const [byToken, setByToken] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [isNew, setNew] = useState(false);
  const { answer: rule } = useAnswer(readSignUpRule, []);

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const { currentTarget: form } = event;
    const text = (name: string): string => formText(form, name);
    setBusy(true);
    try {
      await signIn(
        byToken
          ? { token: text('token').trim() }
          : { email: text('email').trim(), password: text('password') },
      );
      onSignedIn();
    } catch (error) {
      setFailure(wordsOf(error));
      setBusy(false);
    }
  };

  if (isNew)
    return (
      <SignUp domains={rule?.domains ?? []} onSignedIn={onSignedIn} onBack={() => setNew(false)} />
    );
  return (
    <main class="narrow">
      <h1>Millrace</h1>
      {notice !== undefined && <p role="status">{notice}</p>}
      <form onSubmit={(event) => void submit(event)}>
        {byToken ? (
          <label>
            Token of an organization
            <input name="token" type="password" autocomplete="off" required placeholder="mr_…" />
          </label>
        ) : (
          <>
            <label>
              E-mail
              <input name="email" type="email" autocomplete="username" required />
            </label>
            <label>
              Password
              <input name="password" type="password" autocomplete="current-password" required />
            </label>
          </>
        )}
        {failure !== undefined && (
          <p role="alert" class="failure">
            {failure}
          </p>
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          Sign in
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            setByToken(!byToken);
            setFailure(undefined);
          }}
        >
          {byToken ? 'Use e-mail and password' : 'Use a token'}
        </button>
      </form>
      <p class="hint">
        First start? The server has printed root’s e-mail and password where it was started.
      </p>
      {rule?.open && (
        <button type="button" class="quiet" onClick={() => setNew(true)}>
          Create an account
        </button>
      )}
    </main>
  );
}
