import { readRejected, retryRejected, type Rejected, type Retried } from '../api/streams.js';
import { useAction } from '../api/use-action.js';
import { useAnswer } from '../api/use-answer.js';
import { Failure } from '../frame/failure.js';
import { linkTo } from '../frame/route.js';
import { ScrolledTable } from '../frame/scrolled-table.js';

interface Props {
  readonly organization: string;
  readonly stream: string;
  readonly mayWrite: boolean;
  /** Is called when some of the records have moved into the stream. */
  readonly onMoved: () => void;
}

/**
 * Shows what of the newest upload did not fit, with its reason and its line, and tries it again
 * when it may fit.
 */
export function Rejects({ organization, stream, mayWrite, onMoved }: Props) {
  const { answer, failure, askAgain } = useAnswer(
    () => readRejected(organization, stream),
    [organization, stream],
  );
  const retry = useAction();
  const tryAgain = (): void =>
    retry.run(async () => {
      const retried = await retryRejected(organization, stream);
      askAgain();
      if (retried.successful > 0) onMoved();
      return wordsOfRetry(retried);
    });
  if (!answer && failure === undefined) return <p aria-busy="true">Looking what was rejected…</p>;
  return (
    <>
      <Failure words={failure} />
      {answer?.length === 0 && <p>Nothing of {stream} is rejected.</p>}
      {answer && answer.length > 0 && <RejectedTable stream={stream} records={answer} />}
      {mayWrite && answer && answer.length > 0 && (
        <div class="bar">
          <button type="button" class="primary" disabled={retry.isBusy} onClick={tryAgain}>
            Try again
          </button>
          <span class="hint">
            all that is rejected of {stream}, after a change of{' '}
            <a href={linkTo({ page: 'streams', organization, stream })}>its settings</a>
          </span>
        </div>
      )}
      <p role="status">{retry.isBusy ? 'Trying again…' : retry.done}</p>
      <Failure words={retry.failure} />
    </>
  );
}

function wordsOfRetry({ successful, failed, error }: Retried): string {
  const stayed = failed === 0 ? '' : `, ${failed.toLocaleString()} still rejected`;
  const why = error === undefined ? '' : `: ${error}`;
  return `${successful.toLocaleString()} moved into the stream${stayed}${why}.`;
}

function RejectedTable({
  stream,
  records,
}: {
  readonly stream: string;
  readonly records: readonly Rejected[];
}) {
  return (
    <ScrolledTable
      label={`Rejected records of ${stream}`}
      caption={`Rejected records of ${stream}, newest upload${records.length === 100 ? ', the first hundred' : ''}`}
      heads={['Line or record', 'Reason', 'Record']}
    >
      {records.map(({ upload_id: upload, line, reason, record }) => (
        <tr key={`${upload} ${line}`}>
          <td>{line}</td>
          <td>{reason}</td>
          <td>
            <code>{record}</code>
          </td>
        </tr>
      ))}
    </ScrolledTable>
  );
}
