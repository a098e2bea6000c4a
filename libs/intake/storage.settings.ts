import { wholeNumber } from '@app/settings';

/** The most bytes that an organization keeps on the warehouse's disk. 0 means that there is no bound. */
export const storageVariables = { MILLRACE_ORG_STORAGE_BYTES: wholeNumber(0) };
