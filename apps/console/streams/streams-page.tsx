import { useEffect, useState } from 'preact/hooks';
import { wordsOf } from '../api/request.js';
import type { Table } from '../api/schema.js';
import { readStreams, type StreamRecord } from '../api/streams.js';
import { quotedName } from '../ask/error-place.js';
import { linkTo } from '../frame/route.js';
import { FirstUpload } from '../upload/first-upload.js';
import { Rejects } from '../upload/rejects.js';
import { sizeOf } from '../upload/upload-job.js';
import { Fields } from './fields.js';

interface Props {
  readonly organization: string;
  readonly tables: readonly Table[];
  readonly mayWrite: boolean;
}

export function StreamsPage({ organization, tables, mayWrite }: Props) {
  const [streams, setStreams] = useState<readonly StreamRecord[]>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    readStreams(organization).then(setStreams, (error: unknown) => setFailure(wordsOf(error)));
  }, [organization]);
  if (failure !== undefined)
    return (
      <p role="alert" class="failure">
        {failure}
      </p>
    );
  if (!streams) return <p aria-busy="true">Loading…</p>;
  return (
    <>
      <h1>Streams</h1>
      {streams.length === 0 && <FirstUpload organization={organization} mayWrite={mayWrite} />}
      {streams.map((stream) => (
        <Stream
          key={stream.name}
          organization={organization}
          stream={stream}
          fields={tables.find(({ name }) => name === stream.name)?.fields ?? []}
          mayWrite={mayWrite}
        />
      ))}
    </>
  );
}

function Stream({
  organization,
  stream,
  fields,
  mayWrite,
}: {
  readonly organization: string;
  readonly stream: StreamRecord;
  readonly fields: Table['fields'];
  readonly mayWrite: boolean;
}) {
  const { name, stats } = stream;
  const [withRejects, setWithRejects] = useState(false);
  const newest = stats.doc_time_max;
  const sql = `SELECT *\nFROM ${quotedName(name)}\nORDER BY _timestamp DESC\nLIMIT 100`;
  return (
    <details class="stream">
      <summary>
        <h2>{name}</h2>{' '}
        <span class="hint">
          {stats.doc_num.toLocaleString()} records, {sizeOf(stats.storage_size)}
          {newest ? `, newest ${timeOf(newest)}` : ''}
        </span>
      </summary>
      <p class="bar">
        <a href={linkTo({ page: 'ask', organization, sql })}>Ask</a>
        <a href={linkTo({ page: 'search', organization, stream: name })}>Search</a>
        {mayWrite && <a href={linkTo({ page: 'upload', organization, stream: name })}>Upload</a>}
        <button type="button" onClick={() => setWithRejects(!withRejects)}>
          {withRejects ? 'Hide' : 'Show'} what was rejected
        </button>
      </p>
      {withRejects && <Rejects organization={organization} stream={name} />}
      <Fields of={name} fields={fields} />
    </details>
  );
}

/** UTC, to the second. @param microseconds since the epoch */
function timeOf(microseconds: number): string {
  return `${new Date(microseconds / 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
