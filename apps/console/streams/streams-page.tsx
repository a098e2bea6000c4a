import { useState } from 'preact/hooks';
import type { Table } from '../api/schema.js';
import { readStreams } from '../api/streams.js';
import { useAnswer } from '../api/use-answer.js';
import { Failure } from '../frame/failure.js';
import { FirstUpload } from '../upload/first-upload.js';
import { DeclareForm } from './declare-form.js';
import { Stream } from './stream.js';

interface Props {
  readonly organization: string;
  readonly tables: readonly Table[];
  /** The address names it. */
  readonly opened: string | undefined;
  readonly mayWrite: boolean;
  readonly mayDelete: boolean;
  /** Is called when tables have changed. */
  readonly onChanged: () => void;
}

export function StreamsPage(props: Props) {
  const { organization, tables, opened, mayWrite, mayDelete, onChanged } = props;
  const { answer, failure, askAgain } = useAnswer(() => readStreams(organization), [organization]);
  const [deleted, setDeleted] = useState<string>();
  const change = (): void => {
    askAgain();
    onChanged();
  };
  if (!answer && failure === undefined) return <p aria-busy="true">Loading…</p>;
  return (
    <>
      <h1>Streams</h1>
      <Failure words={failure} />
      <p role="status">{deleted !== undefined && `${deleted} is deleted.`}</p>
      {answer?.length === 0 && <FirstUpload organization={organization} mayWrite={mayWrite} />}
      <div class="streams">
        {answer?.map((stream) => (
          <Stream
            key={stream.name}
            organization={organization}
            stream={stream}
            fields={tables.find(({ name }) => name === stream.name)?.fields ?? []}
            isOpen={stream.name === opened}
            mayWrite={mayWrite}
            mayDelete={mayDelete}
            onChanged={change}
            onDeleted={() => {
              setDeleted(stream.name);
              change();
            }}
          />
        ))}
      </div>
      {answer && mayWrite && (
        <DeclareForm
          organization={organization}
          names={answer.map(({ name }) => name)}
          onDeclared={change}
        />
      )}
    </>
  );
}
