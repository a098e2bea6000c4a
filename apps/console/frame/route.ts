import { useEffect, useState } from 'preact/hooks';

export const PAGES = [
  'ask',
  'search',
  'upload',
  'streams',
  'people',
  'tokens',
  'audit',
  'server',
] as const;
export type Page = (typeof PAGES)[number];

/** What the address says: a link shows the same to whoever may see it. */
export interface Route {
  readonly page: Page;
  readonly organization: string | undefined;
  /** Of `ask`: the statement. */
  readonly sql: string | undefined;
  /** Of `search`, `upload` and `streams`. */
  readonly stream: string | undefined;
  /** Of `search`: what somebody typed. */
  readonly text: string | undefined;
  /** Of `search`: a key of its ranges of time. */
  readonly range: string | undefined;
}

/** After the `#`: it stays in the browser, so no log of a proxy has the statement. */
export function parseRoute(hash: string): Route {
  const [path = '', parameters = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const values = new URLSearchParams(parameters);
  return {
    page: PAGES.find((page) => page === path) ?? 'ask',
    organization: values.get('org') ?? undefined,
    sql: values.get('sql') ?? undefined,
    stream: values.get('stream') ?? undefined,
    text: values.get('text') ?? undefined,
    range: values.get('range') ?? undefined,
  };
}

export function linkTo(route: Partial<Route> & Pick<Route, 'page'>): string {
  const values = new URLSearchParams();
  const { organization: org, sql, stream, text: typed, range } = route;
  for (const [name, value] of Object.entries({ org, sql, stream, text: typed, range }))
    if (value !== undefined) values.set(name, value);
  const text = values.toString();
  return `#/${route.page}${text === '' ? '' : `?${text}`}`;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const follow = (): void => setRoute(parseRoute(location.hash));
    window.addEventListener('hashchange', follow);
    // It may have changed since it was read, as by somebody who is quick.
    follow();
    return () => window.removeEventListener('hashchange', follow);
  }, []);
  return route;
}
