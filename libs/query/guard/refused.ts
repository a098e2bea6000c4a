import { counter, MillraceError } from '@app/platform';

/** The rule of the guard that a statement breaks, for operators who watch it. */
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

/** A statement that the guard refuses. */
export class Refusal extends MillraceError {
  constructor(
    readonly rule: Rule,
    why: string,
  ) {
    super('STATEMENT_REFUSED', `the statement is refused: ${why}`);
  }

  /** Counts it once for each statement, however often pieces of it are judged. */
  count(): void {
    refusals.inc({ reason: this.rule });
  }
}

/** @returns the error to throw. */
export const refused = (rule: Rule, why: string): Refusal => new Refusal(rule, why);
