import { wholeNumber } from '@app/settings';

/** Token of the configured bounds. */
export const ACCOUNT_BOUNDS = Symbol('AccountBounds');

/** The bounds of one account. Root has none. */
export interface AccountBounds {
  /** The most organizations that one account may make for itself. */
  readonly organizations: number;
}

export const accountVariables = { MILLRACE_ACCOUNT_ORGANIZATIONS: wholeNumber(10) };

type Values = Readonly<Record<keyof typeof accountVariables, number>>;

export const accountBounds = (values: Values): AccountBounds => ({
  organizations: values.MILLRACE_ACCOUNT_ORGANIZATIONS,
});
