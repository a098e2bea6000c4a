export const ORGANIZATION_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** Says what is wrong with an organization's name, or undefined. */
export function organizationNameProblem(name: string): string | undefined {
  if (ORGANIZATION_NAME.test(name)) return undefined;
  return `organization name ${JSON.stringify(name.slice(0, 80))}: want 1 to 63 of a-z, 0-9, "_" and "-", beginning with a letter or digit`;
}

const DISPLAY_NAME_MAX = 100;
/**
 * Characters that names may not have: line separators, marks that change the direction of text, and
 * all invisible ones.
 */
const UNSHOWN = /[\p{C}\p{Zl}\p{Zp}]/u;

/** Says what is wrong with the name that people are shown, or undefined. */
export function displayNameProblem(name: string): string | undefined {
  if (name === '' || [...name].length > DISPLAY_NAME_MAX)
    return `want 1 to ${DISPLAY_NAME_MAX} characters`;
  return UNSHOWN.test(name) ? 'want characters that can be seen, on one line' : undefined;
}
