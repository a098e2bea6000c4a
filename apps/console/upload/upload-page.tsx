import { useRef, useState } from 'preact/hooks';
import type { Table } from '../api/schema.js';
import { AS_TYPED } from '../form/as-typed.js';
import { formatOfFile, streamOfFile, TAKEN } from './format-of-file.js';
import { UploadJob, type Job } from './upload-job.js';

interface Props {
  readonly organization: string;
  /** The address names it. */
  readonly stream: string | undefined;
  readonly tables: readonly Table[];
  readonly onStored: () => void;
}

export function UploadPage({ organization, stream, tables, onStored }: Props) {
  const [name, setName] = useState(stream ?? '');
  const [jobs, setJobs] = useState<readonly Job[]>([]);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);

  const take = (files: FileList | null | undefined): void => {
    const all = [...(files ?? [])];
    const begun = all.flatMap((file): Job[] => {
      const format = formatOfFile(file.name);
      if (!format) return [];
      const to = name.trim() === '' ? streamOfFile(file.name) : name.trim();
      return [{ key: newKey(), stream: to, file, format }];
    });
    setRefused(all.filter((file) => !formatOfFile(file.name)).map((file) => file.name));
    setJobs((before) => [...begun, ...before]);
    if (input.current) input.current.value = '';
  };

  return (
    <>
      <h1>Upload</h1>
      <label class="field">
        Stream
        <input
          {...AS_TYPED}
          list="streams"
          value={name}
          placeholder="named after the file"
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
        <datalist id="streams">
          {tables.map(({ name: each }) =>
            each.startsWith('_') ? null : <option key={each} value={each} />,
          )}
        </datalist>
      </label>
      <label
        class={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer?.files);
        }}
      >
        <span>
          <strong>Drop files here</strong>, or choose them
        </span>
        <span class="hint">{TAKEN}; also compressed (.gz, .zst)</span>
        <input
          ref={input}
          type="file"
          multiple
          onChange={({ currentTarget }) => take(currentTarget.files)}
        />
      </label>
      {refused.length > 0 && (
        <p role="alert" class="failure">
          {refused.join(', ')}: not a kind of file that can be taken. {TAKEN} can.
        </p>
      )}
      {jobs.map((job) => (
        <UploadJob key={job.key} organization={organization} job={job} onStored={onStored} />
      ))}
    </>
  );
}

/** `crypto.randomUUID` is there over TLS only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `console-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
