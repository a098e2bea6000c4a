import { useEffect, useState } from 'preact/hooks';

export const PAGES = ['ask', 'upload', 'streams'] as const;
export type Page = (typeof PAGES)[number];

/** What the address says: a link shows the same to whoever may see it. */
export interface Route {
  readonly page: Page;
  readonly organization: string | undefined;
  /** Of `ask`: the statement. */
  readonly sql: string | undefined;
  /** Of `upload` and `streams`. */
  readonly stream: string | undefined;
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
  };
}

export function linkTo(route: Partial<Route> & Pick<Route, 'page'>): string {
  const values = new URLSearchParams();
  if (route.organization !== undefined) values.set('org', route.organization);
  if (route.sql !== undefined) values.set('sql', route.sql);
  if (route.stream !== undefined) values.set('stream', route.stream);
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
