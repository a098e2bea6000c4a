import { verifyAudit, type Verdict } from '../api/audit.js';
import { useAnswer } from '../api/use-answer.js';
import { CopyButton } from '../frame/copy-button.js';
import { Failure } from '../frame/failure.js';
import { timeText } from '../time/time-text.js';

/** Shows whether the trail is what the events say. */
export function Verified({ organization }: { readonly organization: string }) {
  const { answer, failure, isAsking, askAgain } = useAnswer(
    () => verifyAudit(organization),
    [organization],
  );
  return (
    <section class="empty" aria-label="Verified">
      <div role="status" class="verdict">
        {isAsking && !answer && <p>Comparing every entry with the events…</p>}
        {answer && <Said verdict={answer} />}
      </div>
      <Failure words={failure} />
      <div class="bar">
        <button type="button" disabled={isAsking} onClick={askAgain}>
          Verify again
        </button>
        <span class="hint">A verdict is kept for a minute.</span>
      </div>
    </section>
  );
}

function Said({ verdict }: { readonly verdict: Verdict }) {
  const { intact, entries, head, problems, checked_at: at } = verdict;
  return (
    <>
      <p>
        <strong class={intact ? '' : 'failed'}>{intact ? 'Intact' : 'Not intact'}</strong>:{' '}
        {entries.toLocaleString()} entries compared with the events on {timeText(at)} UTC.
      </p>
      {problems.length > 0 && (
        <ul>
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
      <p class="bar">
        <span>Head:</span>
        <code class="secret">{head}</code>
        <CopyButton text={head} />
      </p>
      <p class="hint">
        Note the head where nobody who runs the server can write. As long as the trail is intact and
        finds that hash, nothing before it has changed.
      </p>
    </>
  );
}
