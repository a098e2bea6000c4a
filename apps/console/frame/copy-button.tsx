import { useState } from 'preact/hooks';

/** Without TLS a browser gives a page no clipboard, but on the machine itself. */
export function CopyButton({
  text,
  name = 'Copy',
}: {
  readonly text: string;
  readonly name?: string;
}) {
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied.');
    } catch {
      setSaid('The browser does not let this page copy. Select the text instead.');
    }
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {name}
      </button>
      <span role="status">{said}</span>
    </>
  );
}
