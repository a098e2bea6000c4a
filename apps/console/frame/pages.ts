import { program } from '../api/request.js';
import { mayManage, mayUpload, type Membership, type Session } from '../api/session.js';
import { PAGES, type Page } from './route.js';

export const TITLES: Readonly<Record<Page, string>> = {
  ask: 'Ask',
  search: 'Search',
  upload: 'Upload',
  streams: 'Streams',
  people: 'People',
  tokens: 'Tokens',
  organization: 'Organization',
  audit: 'Audit',
  server: 'Server',
  account: 'Account',
};

/** Some pages are not for everybody. The server decides what is done there. */
const FOR: Partial<Record<Page, (session: Session, membership: Membership) => boolean>> = {
  upload: (_, { role }) => mayUpload(role),
  people: mayManage,
  tokens: mayManage,
  organization: mayManage,
  audit: mayManage,
  server: ({ root }) => root,
  // A token belongs to no person.
  account: ({ email }) => email !== '',
};

export function isOffered(page: Page, session: Session, membership: Membership): boolean {
  if (program === 'edge') return page === 'ask' || page === 'streams';
  return FOR[page]?.(session, membership) ?? true;
}

/**
 * Lists the pages of the navigation. The account is not among them: one's name leads there.
 * @param membership is undefined where somebody belongs nowhere
 */
export function pagesFor(session: Session, membership: Membership | undefined): readonly Page[] {
  return membership
    ? PAGES.filter((page) => page !== 'account' && isOffered(page, session, membership))
    : [];
}
