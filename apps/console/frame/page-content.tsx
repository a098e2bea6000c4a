import { program } from '../api/request.js';
import type { Table } from '../api/schema.js';
import { mayManage, mayUpload, type Membership, type Session } from '../api/session.js';
import { AccountPage } from '../account/account-page.js';
import { AskPage } from '../ask/ask-page.js';
import { AuditPage } from '../audit/audit-page.js';
import { OrganizationPage } from '../organization/organization-page.js';
import { PeoplePage } from '../people/people-page.js';
import { SearchPage } from '../search/search-page.js';
import { ServerPage } from '../server/server-page.js';
import { StreamsPage } from '../streams/streams-page.js';
import { TablesPage } from '../streams/tables-page.js';
import { TokensPage } from '../tokens/tokens-page.js';
import { UploadPage } from '../upload/upload-page.js';
import { Failure } from './failure.js';
import { isOffered, TITLES } from './pages.js';
import type { Route } from './route.js';

interface Props {
  readonly route: Route;
  readonly session: Session;
  readonly membership: Membership;
  /** It is undefined until the tables are known. */
  readonly tables: readonly Table[] | undefined;
  /** It says why the tables are not known. */
  readonly failure: string | undefined;
  readonly onStored: () => void;
  /** Is called when the session may see another organization. */
  readonly onChanged: () => void;
}

/** Shows the page that the address names, of one organization. */
export function PageContent({
  route,
  session,
  membership,
  tables,
  failure,
  onStored,
  onChanged,
}: Props) {
  const { name: organization, role } = membership;
  const mayWrite = program === 'hosted' && mayUpload(role);
  if (!isOffered(route.page, session, membership))
    return (
      <p role="status">
        {TITLES[route.page]} is not for you as {role} of {organization}. Ask an admin of it.
      </p>
    );
  if (route.page === 'people') return <PeoplePage organization={organization} session={session} />;
  if (route.page === 'tokens') return <TokensPage organization={organization} />;
  if (route.page === 'organization')
    return <OrganizationPage organization={organization} onChanged={onChanged} />;
  if (route.page === 'audit') return <AuditPage organization={organization} route={route} />;
  if (route.page === 'server') return <ServerPage />;
  if (route.page === 'account')
    return <AccountPage organization={organization} session={session} onChanged={onChanged} />;
  // The pages below need to know the tables.
  if (failure !== undefined) return <Failure words={failure} />;
  if (!tables) return <p aria-busy="true">Loading…</p>;
  switch (route.page) {
    case 'upload':
      return (
        <UploadPage
          organization={organization}
          stream={route.stream}
          tables={tables}
          onStored={onStored}
        />
      );
    case 'search':
      return (
        <SearchPage
          organization={organization}
          tables={tables}
          stream={route.stream}
          text={route.text}
          range={route.range}
          mayWrite={mayWrite}
        />
      );
    case 'streams':
      return program === 'edge' ? (
        <TablesPage tables={tables} />
      ) : (
        <StreamsPage
          organization={organization}
          tables={tables}
          opened={route.stream}
          mayWrite={mayWrite}
          mayDelete={mayManage(session, membership)}
          onChanged={onStored}
        />
      );
    case 'ask':
      return (
        <AskPage
          organization={organization}
          tables={tables}
          sql={route.sql}
          range={route.range}
          mayWrite={mayWrite}
        />
      );
  }
}
