/** Tells where root lives, and where every account is a member first. It always exists. */
export const DEFAULT_ORGANIZATION = 'default';
