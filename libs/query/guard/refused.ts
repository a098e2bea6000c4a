import { counter, MillraceError } from '@app/platform';

/** Tells which rule of the guard a statement breaks, for those who watch over it. */
const RULES = [
  'foreign_table',
  'function',
  'name',
  'not_a_select',
  'settings',
  'table_function',
  'text',
  'time_zone',
  'type',
  'unreadable',
] as const;
type Rule = (typeof RULES)[number];

const refusals = counter(
  {
    name: 'millrace_guard_refusals_total',
    help: 'Statements that the guard refused, by the rule they break',
    labelNames: ['reason'],
  },
  RULES,
);

/** @returns what to throw; counted. */
export function refused(rule: Rule, why: string): MillraceError {
  refusals.inc({ reason: rule });
  return new MillraceError('STATEMENT_REFUSED', `the statement is refused: ${why}`);
}
