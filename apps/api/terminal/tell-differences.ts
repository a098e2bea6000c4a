import { certain } from '@app/platform';
import type { Difference, Look, LostAccount } from '@app/reconcile';

/** Writes a line for each thing that only one of the stores has. */
export function tellDifferences({ upTo, isOpen, differences, accounts, unread }: Look): string[] {
  const any = isOpen || differences.length + accounts.length > 0;
  return [
    ...(any ? [`the events end at position ${upTo}`] : []),
    ...(isOpen ? ['a reconciliation has begun and not ended'] : []),
    ...differences.flatMap((each) => linesOf(each).map((line) => `${each.name}: ${line}`)),
    ...accounts.map(accountLine),
    ...(unread > 0
      ? [
          `the queue has more than is looked at: ${unread} batches were left out, and what they wait for may be missing here`,
        ]
      : []),
  ];
}

function linesOf(difference: Difference): string[] {
  const { id, database, isAway, isDeleted, lost, missing, unknown, waiting, changed, away } = difference; // prettier-ignore
  const withdrawn = [...lost.withdrawn].map(([type, count]) => `${count} ${type}`);
  return [
    ...(id === undefined
      ? [`no event knows this organization, whose database is ${database}`]
      : []),
    ...(isAway
      ? [`it has no database${isDeleted ? ', and was deleted in the lost time' : ''}`]
      : []),
    ...(lost.count > 0
      ? [
          `${lost.count} entries of the audit trail have no event, from ${certain(lost.from, 'first lost entry')} to ${certain(lost.to, 'last lost entry')}${lost.isChained ? '' : '; they do not follow one another'}`,
        ]
      : []),
    ...(id !== undefined && withdrawn.length > 0
      ? [`rights that were changed in that time are as before: ${withdrawn.join(', ')}`]
      : []),
    ...(missing > 0 ? [`${missing} events have no entry in the audit trail`] : []),
    ...unknown.map(
      ({ table, rows }) => `no event knows the stream of the table ${table.table}, ${rows} rows`,
    ),
    ...waiting.map(
      ({ table, rows }) =>
        `${rows} rows wait for the table ${table.table}, of which neither events nor tables know`,
    ),
    ...changed.map(({ stream }) => `the table ${stream.name} was changed, and no event says how`),
    ...away.map(
      ({ stream, isDeleted: was }) =>
        `the stream ${stream.name} has no table${was ? ', and was deleted in the lost time' : ''}`,
    ),
  ];
}

const REASONS: Readonly<Record<LostAccount['why'], string>> = {
  erased: 'was erased in the lost time',
  'no key': 'its key is gone, nobody can read it',
  'other key': 'its key is another one than it was sealed with',
};

const accountLine = ({ id, isRoot, why }: LostAccount): string =>
  `account ${id}${isRoot ? ' (root)' : ''}: ${REASONS[why]}`;
