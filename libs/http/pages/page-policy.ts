/**
 * `Content-Security-Policy` of a page of ours: it loads nothing from elsewhere, sends nothing
 * elsewhere, stands in no frame, and runs no script but its own files.
 * @param more directives of that page, beside or instead of these
 */
export function pagePolicy(more: Readonly<Record<string, string>> = {}): string {
  const directives = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    ...more,
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}
