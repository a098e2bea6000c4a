import { program } from '../api/request.js';
import { CopyButton } from '../frame/copy-button.js';
import { linkTo } from '../frame/route.js';

interface Props {
  readonly organization: string;
  readonly mayWrite: boolean;
}

/** Says what to do where there is nothing yet. */
export function FirstUpload({ organization, mayWrite }: Props) {
  if (program === 'edge')
    return (
      <section class="empty" aria-label="First step">
        <h2>There is no table yet</h2>
        <p>Start the program with one:</p>
        <pre tabIndex={0}>millrace-edge --table "logs=./logs.parquet"</pre>
      </section>
    );
  if (!mayWrite)
    return (
      <section class="empty" aria-label="First step">
        <h2>There is no stream in {organization} yet</h2>
        <p>You may query, and not upload. Ask an editor or an admin for the first one.</p>
      </section>
    );
  const curl =
    `curl -u YOUR_EMAIL '${location.origin}/api/${organization}/logs/_json?wait=true' \\\n` +
    `  -d '[{"level":"info","message":"hello","took":0.012}]'`;
  return (
    <section class="empty" aria-label="First step">
      <h2>There is no stream in {organization} yet</h2>
      <p>
        <a href={linkTo({ page: 'upload', organization })}>Drop a file</a>, or send records from a
        terminal; curl asks for your password:
      </p>
      <pre tabIndex={0}>{curl}</pre>
      <CopyButton text={curl} />
    </section>
  );
}
