import { apiOf, failureOf, ownHeaders } from '../api/request.js';
import type { FileFormat } from './format-of-file.js';

export interface Stored {
  readonly name: string;
  readonly successful: number;
  readonly failed: number;
  readonly error?: string;
}

interface Sending {
  readonly organization: string;
  readonly stream: string;
  readonly file: File;
  readonly format: FileFormat;
  /** If the same file is sent again after a lost answer, it is stored once. */
  readonly key: string;
}

/**
 * Sends a file, and waits until its records can be queried.
 * @param tell is called with how much of it has gone out, from 0 to 1
 * @throws {ApiFailure}
 * @throws {TypeError} when the connection is lost
 */
export function sendFile(
  { organization, stream, file, format, key }: Sending,
  signal: AbortSignal,
  tell: (fraction: number) => void,
): Promise<Stored> {
  const parameters = new URLSearchParams({ wait: 'true', ...format.parameters });
  const path = `${apiOf(organization)}/${encodeURIComponent(stream)}/${format.route}?${parameters}`;
  return new Promise((resolve, reject) => {
    // fetch does not report how much has been sent.
    const sending = new XMLHttpRequest();
    sending.open('POST', path);
    for (const [name, value] of Object.entries(ownHeaders())) sending.setRequestHeader(name, value);
    sending.setRequestHeader('Content-Type', 'application/octet-stream');
    sending.setRequestHeader('Idempotency-Key', key);
    if (format.encoding) sending.setRequestHeader('Content-Encoding', format.encoding);
    sending.upload.onprogress = ({ loaded, total }) => tell(total === 0 ? 1 : loaded / total);
    sending.onload = () => {
      const { status, responseText } = sending;
      if (status !== 200) {
        reject(failureOf(status, responseText, sending.getResponseHeader('X-Request-Id') ?? ''));
        return;
      }
      const [stored] = (JSON.parse(responseText) as { status: [Stored] }).status;
      resolve(stored);
    };
    sending.onerror = () => reject(new TypeError('the connection was lost'));
    sending.onabort = () => reject(new DOMException('called off', 'AbortError'));
    signal.addEventListener('abort', () => sending.abort(), { once: true });
    sending.send(file);
  });
}
