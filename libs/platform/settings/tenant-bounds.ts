import { positive, wholeNumber } from './whole-number.js';

/** Token of the configured bounds. */
export const TENANT_BOUNDS = Symbol('TenantBounds');

/** The bounds of one tenant. Root has none. */
export interface TenantBounds {
  /** That one account may make for itself. */
  readonly accountOrganizations: number;
  /** The most streams of one organization. */
  readonly streams: number;
  /** That an organization keeps on the warehouse's disk; 0: no bound. */
  readonly storageBytes: number;
}

export const tenantBoundVariables = {
  MILLRACE_ACCOUNT_ORGANIZATIONS: wholeNumber(10),
  MILLRACE_ORG_STREAMS: positive(1000),
  MILLRACE_ORG_STORAGE_BYTES: wholeNumber(0),
};

type Values = Readonly<Record<keyof typeof tenantBoundVariables, number>>;

export function tenantBounds(values: Values): TenantBounds {
  return {
    accountOrganizations: values.MILLRACE_ACCOUNT_ORGANIZATIONS,
    streams: values.MILLRACE_ORG_STREAMS,
    storageBytes: values.MILLRACE_ORG_STORAGE_BYTES,
  };
}
