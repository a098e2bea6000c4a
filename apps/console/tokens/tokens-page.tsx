import { useState } from 'preact/hooks';
import { readStreams } from '../api/streams.js';
import { readTokens } from '../api/tokens.js';
import { useAnswer } from '../api/use-answer.js';
import { CopyButton } from '../frame/copy-button.js';
import { Failure } from '../frame/failure.js';
import { MakeForm } from './make-form.js';
import { Passcode } from './passcode.js';
import { TokenTable } from './token-table.js';

interface Made {
  readonly name: string;
  readonly secret: string;
}

/** Shows the secrets of an organization that its programs use. */
export function TokensPage({ organization }: { readonly organization: string }) {
  const { answer, failure, askAgain } = useAnswer(() => readTokens(organization), [organization]);
  // The names are only offered: without them one can be typed.
  const streams = useAnswer(() => readStreams(organization), [organization]);
  const [made, setMade] = useState<Made>();
  if (!answer && failure === undefined) return <p aria-busy="true">Loading…</p>;
  return (
    <>
      <h1>Tokens</h1>
      <Failure words={failure} />
      {made && (
        <section class="empty" role="status" aria-label={`The new token ${made.name}`}>
          <h2>{made.name}: copy it now, it is shown this once</h2>
          <p class="bar">
            <code class="secret">{made.secret}</code>
            <CopyButton text={made.secret} />
          </p>
          <p class="hint">
            A program sends it as <code>Authorization: Bearer {made.secret.slice(0, 6)}…</code>
          </p>
          <button type="button" onClick={() => setMade(undefined)}>
            I have it
          </button>
        </section>
      )}
      {answer && <TokenTable organization={organization} tokens={answer} onChanged={askAgain} />}
      <MakeForm
        organization={organization}
        streams={streams.answer?.map(({ name }) => name) ?? []}
        onMade={(name, secret) => {
          setMade({ name, secret });
          askAgain();
        }}
      />
      <Passcode organization={organization} />
    </>
  );
}
