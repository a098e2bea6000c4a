import { useEffect, useRef, useState } from 'preact/hooks';
import { readReceived } from '../api/people.js';
import { program, wordsOf } from '../api/request.js';
import { readTables, type Table } from '../api/schema.js';
import type { Session } from '../api/session.js';
import { useAnswer } from '../api/use-answer.js';
import { FoundForm } from '../account/found-form.js';
import { Received } from '../people/received.js';
import { Header } from './header.js';
import { PageContent } from './page-content.js';
import { pagesFor } from './pages.js';
import { useRoute } from './route.js';

interface Props {
  readonly session: Session;
  /** Is called when the session may see another organization. */
  readonly onChanged: () => void;
  readonly onSignedOut: () => void;
}

/** Somebody who is signed in has these pages, for one organization at a time. */
export function Desk({ session, onChanged, onSignedOut }: Props) {
  const route = useRoute();
  const named = session.organizations.find(({ name }) => name === route.organization);
  // A page about one organization asks nothing about another one.
  const isForeign = route.organization !== undefined && !named && program === 'hosted';
  const membership = isForeign ? undefined : (named ?? session.organizations[0]);
  const organization = membership?.name ?? '';
  const [tables, setTables] = useState<readonly Table[]>();
  const [failure, setFailure] = useState<string>();

  // A token belongs to no person and has no invitations. If the question fails, the page below says
  // what is wrong.
  const invitations = useAnswer(
    () => (session.email === '' ? Promise.resolve([]) : readReceived()),
    [session.email],
  );
  /** The invitations stand above the page. If they came later, the page would move. */
  const isKnown = invitations.answer !== undefined || invitations.failure !== undefined;

  const shown = useRef(organization);
  shown.current = organization;

  const readAgain = (): void => {
    // Somebody may have chosen another organization meanwhile.
    const isShown = (): boolean => shown.current === organization;
    readTables(organization).then(
      (read) => {
        if (!isShown()) return;
        setTables(read);
        setFailure(undefined);
      },
      (error: unknown) => {
        if (isShown()) setFailure(wordsOf(error));
      },
    );
  };
  useEffect(() => {
    setTables(undefined);
    if (membership) readAgain();
  }, [organization]);

  const page = () => {
    if (!membership)
      return (
        <>
          <p role="status">
            {isForeign
              ? `There is no organization ${route.organization ?? ''} for you. Choose another one, or ask an admin of it to add you.`
              : 'You are in no organization. Ask an admin of one to add you, or create one.'}
          </p>
          {!isForeign && <FoundForm session={session} onFounded={onChanged} />}
        </>
      );
    return (
      <PageContent
        key={organization}
        route={route}
        session={session}
        membership={membership}
        tables={tables}
        failure={failure}
        onStored={readAgain}
        onChanged={onChanged}
      />
    );
  };

  return (
    <>
      <a class="skip" href="#content" onClick={focusContent}>
        Skip to the content
      </a>
      <Header
        page={route.page}
        session={session}
        organization={organization}
        pages={pagesFor(session, membership)}
        onSignedOut={onSignedOut}
      />
      <main id="content" tabIndex={-1}>
        <Received
          invitations={invitations.answer ?? []}
          onAnswered={invitations.askAgain}
          onAccepted={onChanged}
        />
        {isKnown ? page() : <p aria-busy="true">Loading…</p>}
      </main>
    </>
  );
}

/** The text of the address behind `#` is the page's own. */
function focusContent(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}
