const KEY = 'millrace-history';
const WHO = 'millrace-history-of';
const KEPT_MAX = 50;
const LENGTH_MAX = 10_000;

interface Asked {
  readonly organization: string;
  readonly sql: string;
}

/** The newest comes first. All are kept in this browser only, until somebody signs out. */
export function asked(organization: string): readonly string[] {
  return all()
    .filter((each) => each.organization === organization)
    .map(({ sql }) => sql);
}

export function remember(organization: string, sql: string): void {
  if (sql.length > LENGTH_MAX) return;
  const others = all().filter((each) => each.sql !== sql || each.organization !== organization);
  const kept = [{ organization, sql }, ...others].slice(0, KEPT_MAX);
  localStorage.setItem(KEY, JSON.stringify(kept));
}

/**
 * Deletes the statements that were asked: the next user of this browser must neither see nor run
 * them.
 */
export function forgetAsked(): void {
  localStorage.removeItem(KEY);
  history.replaceState(null, '', '#/ask');
}

/** Forgets what another person has asked, whose session ended by itself. */
export function keepAskedOf(email: string): void {
  const before = localStorage.getItem(WHO);
  if (before !== null && before !== email) forgetAsked();
  localStorage.setItem(WHO, email);
}

function all(): readonly Asked[] {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '[]') as unknown;
    return Array.isArray(kept) ? (kept as Asked[]) : [];
  } catch {
    return [];
  }
}
