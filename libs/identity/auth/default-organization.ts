/**
 * The organization in which root is a member, and every other account at first. It always exists.
 */
export const DEFAULT_ORGANIZATION = 'default';
