import { useState } from 'preact/hooks';
import { readPasscode, rotatePasscode } from '../api/tokens.js';
import { useAction } from '../api/use-action.js';
import { ConfirmButton } from '../form/confirm-button.js';
import { CopyButton } from '../frame/copy-button.js';
import { Failure } from '../frame/failure.js';

/** Shows the passcode only when the user asks for it. */
export function Passcode({ organization }: { readonly organization: string }) {
  const [passcode, setPasscode] = useState<string>();
  const asking = useAction();
  const show = (): void =>
    asking.run(async () => {
      setPasscode(await readPasscode(organization));
      return undefined;
    });
  const rotate = (): void =>
    asking.run(async () => {
      setPasscode(await rotatePasscode(organization));
      return 'This is the new passcode. The old one opens nothing any more.';
    });
  return (
    <section aria-labelledby="passcode">
      <h2 id="passcode">Passcode</h2>
      <p class="hint">
        One secret for all of {organization}, in place of a password: it uploads, queries and lists
        streams. A token of its own for each program can be revoked alone.
      </p>
      <div class="bar">
        {passcode === undefined ? (
          <button type="button" disabled={asking.isBusy} onClick={show}>
            Show the passcode
          </button>
        ) : (
          <>
            <code class="secret">{passcode}</code>
            <CopyButton text={passcode} />
            <button type="button" onClick={() => setPasscode(undefined)}>
              Hide
            </button>
          </>
        )}
        <ConfirmButton
          name="Replace"
          about="the passcode"
          question="Replace the passcode? Programs with the present one are refused at once."
          isBusy={asking.isBusy}
          onConfirmed={rotate}
        />
      </div>
      <p role="status">{asking.done}</p>
      <Failure words={asking.failure} />
    </section>
  );
}
