import { useState } from 'preact/hooks';
import { signIn } from '../api/session.js';
import { signUp, type SignedUp } from '../api/sign-up.js';
import { useAction } from '../api/use-action.js';
import { AS_TYPED } from '../form/as-typed.js';
import { CopyButton } from '../frame/copy-button.js';
import { Failure } from '../frame/failure.js';
import { formText } from '../form/form-text.js';

interface Props {
  /** E-mail addresses must end in one of these; an empty list lets all in. */
  readonly domains: readonly string[];
  readonly onSignedIn: () => void;
  readonly onBack: () => void;
}

/** Makes an account with an organization of its own, and ends with what its first program needs. */
export function SignUp({ domains, onSignedIn, onBack }: Props) {
  const [made, setMade] = useState<SignedUp>();
  const making = useAction();
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const { currentTarget: form } = event;
    const text = (name: string): string => formText(form, name);
    const [email, password] = [text('email').trim(), text('password')];
    making.run(async () => {
      const names = { first_name: text('first'), last_name: text('last') };
      const organization = text('organization').trim();
      const answer = await signUp({ email, password, organization, ...names });
      // The token is shown whatever becomes of signing in.
      setMade(answer);
      await signIn({ email, password });
      return '';
    });
  };
  if (made)
    return (
      <Welcome
        {...made}
        onDone={() => {
          onBack();
          onSignedIn();
        }}
      />
    );
  return (
    <main class="narrow">
      <h1>Create an account</h1>
      <form onSubmit={submit}>
        <label>
          E-mail
          <input name="email" type="email" autocomplete="username" required />
        </label>
        {domains.length > 0 && <p class="hint">Addresses of {domains.join(', ')} only.</p>}
        <label>
          First name
          <input name="first" autocomplete="given-name" maxLength={200} />
        </label>
        <label>
          Last name
          <input name="last" autocomplete="family-name" maxLength={200} />
        </label>
        <label>
          Password
          <input name="password" type="password" autocomplete="new-password" required />
        </label>
        <label>
          Organization
          <input
            {...AS_TYPED}
            name="organization"
            required
            autocomplete="off"
            placeholder="a-z, 0-9, _ and -"
            maxLength={63}
          />
        </label>
        <Failure words={making.failure} />
        <button type="submit" class="primary" disabled={making.isBusy}>
          Create the account
        </button>
        <button type="button" class="quiet" onClick={onBack}>
          I have an account
        </button>
      </form>
    </main>
  );
}

function Welcome({ organization, token, onDone }: SignedUp & { readonly onDone: () => void }) {
  const curl =
    `curl -H 'Authorization: Bearer ${token}' \\\n` +
    `  '${location.origin}/api/${organization}/logs/_json?wait=true' \\\n` +
    `  -d '[{"level":"info","message":"hello","took":0.012}]'`;
  return (
    <main class="narrow">
      <h1>{organization} is yours</h1>
      <p>
        This is the access token of your programs. It uploads and queries, and is shown only now:
      </p>
      <pre tabIndex={0}>{token}</pre>
      <CopyButton text={token} name="Copy the token" />
      <p>Your first upload, to run in a terminal:</p>
      <pre tabIndex={0}>{curl}</pre>
      <CopyButton text={curl} name="Copy the command" />
      <p>
        <button type="button" class="primary" onClick={onDone}>
          Go on
        </button>
      </p>
    </main>
  );
}
