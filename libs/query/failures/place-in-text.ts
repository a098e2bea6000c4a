const NAME_MAX = 256;

/**
 * The place where a name first stands alone in a text, as `, at line 2, column 5`; empty if it does
 * not.
 */
export function placeOf(name: string, text: string): string {
  if (name === '' || name.length > NAME_MAX) return '';
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    const alone =
      !isWord(text.charAt(at - 1), name.charAt(0)) &&
      !isWord(text.charAt(at + name.length), name.slice(-1));
    if (alone) return `, at ${lineAndColumn(text.slice(0, at))}`;
  }
  return '';
}

/** The place after `before`, in characters as an editor counts them. */
export function lineAndColumn(before: string): string {
  const lines = before.split('\n').length;
  const last = before.slice(before.lastIndexOf('\n') + 1);
  return `line ${lines}, column ${[...last].length + 1}`;
}

function isWord(outside: string, edge: string): boolean {
  return /\w/.test(outside) && /\w/.test(edge);
}
