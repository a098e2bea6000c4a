/** A failure as the API reports it. */
export class ApiFailure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly requestId: string,
  ) {
    super(message);
  }
}

/** The page refuses something by itself, without asking the server. The message says why. */
export class NotSent extends Error {}

/** The window gets this event when the server does not know us any more. */
export const SIGNED_OUT = 'millrace-signed-out';

export type Program = 'hosted' | 'edge';

/** The page has the name of the program that serves it. */
export const program: Program =
  document.documentElement.dataset.program === 'edge' ? 'edge' : 'hosted';

/** The edge program may want this token. It is in memory only, and gone with the page. */
let edgeToken: string | undefined;
export function useEdgeToken(token: string): void {
  edgeToken = token;
}

/** This header says that our own page asks: see Sessions of the server. */
export function ownHeaders(): Record<string, string> {
  return {
    'X-Millrace-Console': '1',
    ...(edgeToken === undefined ? {} : { Authorization: `Bearer ${edgeToken}` }),
  };
}

/**
 * Gives the path of an organization's routes. The edge program has one set of tables, and no
 * organization in its path.
 */
export function apiOf(organization: string): string {
  return program === 'edge' ? '/api' : `/api/${encodeURIComponent(organization)}`;
}

interface Asking {
  readonly method?: string;
  readonly body?: string;
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Asks the server.
 * @throws {ApiFailure} when it refuses
 * @throws {TypeError} when the server is away
 */
export async function request(path: string, asking: Asking = {}): Promise<Response> {
  const { method = 'GET', body, accept = 'application/json', headers = {}, signal } = asking;
  const response = await fetch(path, {
    method,
    headers: { ...ownHeaders(), ...headers, Accept: accept },
    credentials: 'same-origin',
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.ok) return response;
  throw failureOf(
    response.status,
    await response.text(),
    response.headers.get('X-Request-Id') ?? '',
  );
}

export async function requestJson<T>(path: string, asking: Asking = {}): Promise<T> {
  return (await (await request(path, asking)).json()) as T;
}

export function failureOf(status: number, text: string, requestId: string): ApiFailure {
  if (status === 401) window.dispatchEvent(new Event(SIGNED_OUT));
  return new ApiFailure(status, messageIn(text) ?? `the server answered ${status}`, requestId);
}

function messageIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Says for people what went wrong. */
export function wordsOf(error: unknown): string {
  if (error instanceof ApiFailure || error instanceof NotSent) return error.message;
  return 'The server cannot be reached. Look whether it runs, then try again.';
}
