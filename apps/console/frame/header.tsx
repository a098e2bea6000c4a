import { useState } from 'preact/hooks';
import { program, wordsOf } from '../api/request.js';
import { signOut, type Session } from '../api/session.js';
import { TITLES } from './pages.js';
import { linkTo, type Page } from './route.js';
import { changeTheme, keptTheme } from './theme.js';

interface Props {
  readonly page: Page;
  readonly session: Session;
  readonly organization: string;
  /** The header offers these pages. */
  readonly pages: readonly Page[];
  readonly onSignedOut: () => void;
}

export function Header({ page, session, organization, pages, onSignedOut }: Props) {
  const [theme, setTheme] = useState(keptTheme);
  const [failure, setFailure] = useState<string>();
  const leave = async (): Promise<void> => {
    try {
      await signOut();
      onSignedOut();
    } catch (error) {
      setFailure(`You are still signed in: ${wordsOf(error)}`);
    }
  };
  return (
    <header>
      <strong class="brand">Millrace</strong>
      <nav aria-label="Pages">
        {pages.map((each) => (
          <a
            key={each}
            href={linkTo({ page: each, ...(program === 'edge' ? {} : { organization }) })}
            aria-current={each === page ? 'page' : undefined}
          >
            {each === 'streams' && program === 'edge' ? 'Tables' : TITLES[each]}
          </a>
        ))}
        <a href="/docs">API</a>
        <a href="/graphiql" hidden={program === 'hosted' && session.email === ''}>
          GraphiQL
        </a>
      </nav>
      <div class="who">
        {program === 'hosted' && session.organizations.length > 0 && (
          <label>
            <span class="unseen">Organization</span>
            <select
              value={organization}
              onChange={({ currentTarget }) => {
                location.hash = linkTo({ page, organization: currentTarget.value });
              }}
            >
              {session.organizations.map(({ name, role }) => (
                <option key={name} value={name}>
                  {name} ({role})
                </option>
              ))}
            </select>
          </label>
        )}
        <button type="button" class="quiet" onClick={() => setTheme(changeTheme(theme))}>
          Colors: {theme}
        </button>
        {program === 'hosted' && (
          <>
            {session.email === '' ? (
              <span class="email">a token</span>
            ) : (
              <a
                class="email"
                href={linkTo({ page: 'account', organization })}
                aria-current={page === 'account' ? 'page' : undefined}
              >
                <span class="unseen">Account: </span>
                {session.email}
              </a>
            )}
            <button type="button" onClick={() => void leave()}>
              Sign out
            </button>
            {failure !== undefined && (
              <span role="alert" class="failure">
                {failure}
              </span>
            )}
          </>
        )}
      </div>
    </header>
  );
}
