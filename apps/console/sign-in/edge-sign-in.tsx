import { useEdgeToken } from '../api/request.js';
import { formText } from '../form/form-text.js';

/** The edge program was started with a token. It stays in this page, and is gone with it. */
export function EdgeSignIn({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    useEdgeToken(formText(event.currentTarget, 'token').trim());
    onSignedIn();
  };
  return (
    <main class="narrow">
      <h1>Millrace edge</h1>
      <form onSubmit={submit}>
        <label>
          Token that the program was started with
          <input name="token" type="password" autocomplete="off" required />
        </label>
        <button type="submit" class="primary">
          Open
        </button>
      </form>
    </main>
  );
}
