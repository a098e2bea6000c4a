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

/** The address says these things beside the page, each by its parameter. */
const PARAMETERS = {
  organization: 'org',
  /** The page `ask` has its statement here. */
  sql: 'sql',
  /** The pages `search`, `upload`, `streams` and `audit` have a stream. */
  stream: 'stream',
  /** The page `search` has here what somebody typed. */
  text: 'text',
  /** The pages `ask` and `search` have a time, as the page's field for it has it. */
  range: 'range',
  /** The page `audit` has its filters by their names. */
  type: 'type',
  actor: 'actor',
  outcome: 'outcome',
  since: 'since',
  until: 'until',
  hash: 'hash',
} as const;
type Parameter = keyof typeof PARAMETERS;

/** The address says all of this, so a link shows the same to everybody who may see it. */
export type Route = { readonly page: Page } & Readonly<Record<Parameter, string | undefined>>;

const ENTRIES = Object.entries(PARAMETERS) as [Parameter, string][];

/** Reads the text after the `#`. It stays in the browser, so no log of a proxy has the statement. */
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
    // The address may have changed since it was read, for example if somebody clicks quickly.
    follow();
    return () => window.removeEventListener('hashchange', follow);
  }, []);
  return route;
}
