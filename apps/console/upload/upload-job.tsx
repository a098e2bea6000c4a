import { useEffect, useRef, useState } from 'preact/hooks';
import { wordsOf } from '../api/request.js';
import { quotedName } from '../editor/error-place.js';
import { linkTo } from '../frame/route.js';
import { sizeOf } from '../frame/size-text.js';
import type { FileFormat } from './format-of-file.js';
import { Rejects } from './rejects.js';
import { sendFile, type Stored } from './send-file.js';

export interface Job {
  readonly key: string;
  readonly stream: string;
  readonly file: File;
  readonly format: FileFormat;
}

interface Props {
  readonly organization: string;
  readonly job: Job;
  readonly onStored: () => void;
}

type State =
  | { readonly at: 'sending'; readonly fraction: number }
  | { readonly at: 'stored'; readonly stored: Stored }
  | { readonly at: 'failed'; readonly why: string };

/** Shows one file on its way, and what came of it. */
export function UploadJob({ organization, job, onStored }: Props) {
  const { stream, file } = job;
  const [state, setState] = useState<State>({ at: 'sending', fraction: 0 });
  const sending = useRef<AbortController>();

  const send = async (): Promise<void> => {
    const own = new AbortController();
    sending.current = own;
    setState({ at: 'sending', fraction: 0 });
    try {
      const stored = await sendFile({ organization, ...job }, own.signal, (fraction) =>
        setState({ at: 'sending', fraction }),
      );
      setState({ at: 'stored', stored });
      onStored();
    } catch (error) {
      const why = own.signal.aborted
        ? 'Cancelled. Send it again to be sure that it is stored: it is stored once.'
        : wordsOf(error);
      setState({ at: 'failed', why });
    }
  };
  useEffect(() => {
    void send();
    return () => sending.current?.abort();
  }, []);

  const isSending = state.at === 'sending';
  useEffect(() => {
    if (!isSending) return undefined;
    const ask = (event: Event): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isSending]);

  return (
    <section class="job" aria-label={`${file.name} to ${stream}`}>
      <h2>
        {file.name} <span class="hint">({sizeOf(file.size)})</span> → {stream}
      </h2>
      {state.at === 'sending' && (
        <div class="bar">
          <progress value={state.fraction} aria-label={`Of ${file.name} sent`} />
          <span role="status">
            {state.fraction < 1 ? `${Math.floor(state.fraction * 100)} % sent` : 'Storing…'}
          </span>
          <button type="button" onClick={() => sending.current?.abort()}>
            Cancel
          </button>
          <span class="hint">Stay on this page: leaving it cancels the upload.</span>
        </div>
      )}
      {state.at === 'failed' && (
        <div role="alert" class="failure">
          {state.why}
          <button type="button" onClick={() => void send()}>
            Send again
          </button>
        </div>
      )}
      {state.at === 'stored' && (
        <Outcome organization={organization} stored={state.stored} onMoved={onStored} />
      )}
    </section>
  );
}

function Outcome({
  organization,
  stored,
  onMoved,
}: {
  readonly organization: string;
  readonly stored: Stored;
  readonly onMoved: () => void;
}) {
  const { name, successful, failed } = stored;
  const sql = `SELECT * FROM ${quotedName(name)} LIMIT 100`;
  // Without a record there may be no stream to ask.
  if (successful + failed === 0)
    return <p role="status">There is no record in this file: nothing was stored.</p>;
  return (
    <>
      <p role="status">
        <strong>{successful.toLocaleString()}</strong> stored,{' '}
        <strong class={failed > 0 ? 'failed' : ''}>{failed.toLocaleString()}</strong> rejected.{' '}
        {successful > 0 && <a href={linkTo({ page: 'ask', organization, sql })}>Ask {name}</a>}
      </p>
      {failed > 0 && (
        <Rejects organization={organization} stream={name} mayWrite onMoved={onMoved} />
      )}
    </>
  );
}
