import { useEffect, useState } from 'preact/hooks';

export const PAGES = [
  'ask',
  'search',
  'upload',
  'streams',
  'people',
  'tokens',
  'organization',
  'audit',
  'server',
  'account',
] as const;
export type Page = (typeof PAGES)[number];

/** Names of what the address says beside the page, each with its parameter. */
const PARAMETERS = {
  organization: 'org',
  /** Of `ask`: the statement. */
  sql: 'sql',
  /** Of `search`, `upload` and `streams`. */
  stream: 'stream',
  /** Of `search`: what somebody typed. */
  text: 'text',
  /** Of `ask` and `search`: which time, as the page's field for it has it. */
  range: 'range',
  /** Of `audit`, as its filters are called. */
  type: 'type',
  actor: 'actor',
  outcome: 'outcome',
  since: 'since',
  until: 'until',
  hash: 'hash',
} as const;
type Parameter = keyof typeof PARAMETERS;

/** What the address says: a link shows the same to whoever may see it. */
export type Route = { readonly page: Page } & Readonly<Record<Parameter, string | undefined>>;

const ENTRIES = Object.entries(PARAMETERS) as [Parameter, string][];

/** After the `#`: it stays in the browser, so no log of a proxy has the statement. */
export function parseRoute(hash: string): Route {
  const [path = '', parameters = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const values = new URLSearchParams(parameters);
  const said = ENTRIES.map(([name, parameter]) => [name, values.get(parameter) ?? undefined]);
  return {
    page: PAGES.find((page) => page === path) ?? 'ask',
    ...(Object.fromEntries(said) as Record<Parameter, string | undefined>),
  };
}

export function linkTo(route: Partial<Route> & Pick<Route, 'page'>): string {
  const values = new URLSearchParams();
  for (const [name, parameter] of ENTRIES) {
    const value = route[name];
    if (value !== undefined) values.set(parameter, value);
  }
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
