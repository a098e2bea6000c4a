import { useState } from 'preact/hooks';

/**
 * A button that copies a text. Without TLS a browser gives a page no clipboard, except a page from
 * the same machine.
 */
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
