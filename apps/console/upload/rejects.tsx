import { useEffect, useState } from 'preact/hooks';
import { wordsOf } from '../api/request.js';
import { readRejected, type Rejected } from '../api/streams.js';

interface Props {
  readonly organization: string;
  readonly stream: string;
}

/** What of the newest upload did not fit, with its reason and its line. */
export function Rejects({ organization, stream }: Props) {
  const [records, setRecords] = useState<readonly Rejected[]>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    readRejected(organization, stream).then(setRecords, (error: unknown) =>
      setFailure(wordsOf(error)),
    );
  }, [organization, stream]);
  if (failure !== undefined) return <p class="failure">{failure}</p>;
  if (!records) return <p aria-busy="true">Looking what was rejected…</p>;
  if (records.length === 0) return <p>Nothing of {stream} is rejected.</p>;
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label={`Rejected records of ${stream}`}>
      <table>
        <caption>
          Rejected records of {stream}, newest upload
          {records.length === 100 ? ', the first hundred' : ''}
        </caption>
        <thead>
          <tr>
            <th scope="col">Line or record</th>
            <th scope="col">Reason</th>
            <th scope="col">Record</th>
          </tr>
        </thead>
        <tbody>
          {records.map(({ upload_id: upload, line, reason, record }) => (
            <tr key={`${upload} ${line}`}>
              <td>{line}</td>
              <td>{reason}</td>
              <td>
                <code>{record}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
