/**
 * The engine prints names in a tree without quotes: an alias may contain a comma, a line break, or
 * whole lines of a print. Before a statement is printed, every such character within quotes is
 * replaced by one of the private use area, which makes the print unambiguous; `asWritten` undoes
 * it.
 */

/** A `{name:Type}` of a statement; its value comes with each call. */
export interface Placeholder {
  readonly name: string;
  readonly type: string;
}

export interface SpelledStatement {
  /**
   * The statement that will run, in pieces: text in the engine's print, and the places of values.
   */
  readonly pieces: readonly (string | Placeholder)[];
  /** The same statement in the form whose tree is printed. */
  readonly printable: string;
}

/**
 * An ASCII character becomes this number plus its code; an escape sequence becomes that number plus
 * its letter's code.
 */
const CHARACTERS = 0xe000;
const ESCAPES = 0xe100;
/** Stands for any other character of a text. */
const UNTOLD = '\ue1fe';
/** The prefix of the text that stands for a placeholder's value in the print. */
const PLACEHOLDER_MARK = '\ue1ff';
const PRIVATE = /[\ue000-\ue1ff]/;
/** Some readers treat these characters as the end of a line. */
const LINE_ENDS = /[\u0085\u2028\u2029]/;
const PLAIN = /[A-Za-z0-9_ -]/;
const LETTERS: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  0: '\0',
};

const PLACEHOLDER = /\{([A-Za-z_]\w*):([A-Za-z][\w(), '/=+-]*)\}/y;
const UNQUOTED = /[\w\s.,()[\]*+/%<>=!?:|&^~-]/;

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * @param canonical bytes of the engine's own print of a statement, on one line, without comments.
 * @returns undefined when there is anything in it that such a print does not have.
 */
export function spellOut(canonical: Buffer): SpelledStatement | undefined {
  const text = canonical.toString('latin1');
  const pieces: (string | Placeholder)[] = [];
  let statement = '';
  let printable = '';
  for (let at = 0; at < text.length;) {
    const character = text.charAt(at);
    if (character === "'" || character === '`') {
      const end = endOfQuotes(text, at);
      const inside = text.slice(at + 1, end);
      const spelled = character === '`' ? spellName(inside) : spellText(inside);
      if (end === undefined || spelled === undefined) return undefined;
      statement += character + spelled.statement + character;
      printable += character + spelled.printable + character;
      at = end + 1;
      continue;
    }
    if (character === '{') {
      PLACEHOLDER.lastIndex = at;
      const [whole, name, type] = PLACEHOLDER.exec(text) ?? [];
      if (whole === undefined || name === undefined || type === undefined) return undefined;
      pieces.push(statement, { name, type });
      statement = '';
      printable += castOf(`${PLACEHOLDER_MARK}${name}`, type);
      at += whole.length;
      continue;
    }
    const two = text.slice(at, at + 2);
    if (!UNQUOTED.test(character) || /[\n\r\t\f\v]/.test(character)) return undefined;
    if (two === '--' || two === '/*') return undefined;
    statement += character;
    printable += character;
    at += 1;
  }
  return { pieces: [...pieces, statement], printable };
}

/** A value where a placeholder stood: a text literal, so it can be nothing but a value. */
export function castOf(value: string, type: string): string {
  return `CAST(${literal(value)}, ${literal(type)})`;
}

/** @param text of the print. @returns the name of the placeholder that it stands for, if any. */
export function placeholderOf(text: string): string | undefined {
  return text.startsWith(PLACEHOLDER_MARK) ? text.slice(PLACEHOLDER_MARK.length) : undefined;
}

function literal(text: string): string {
  const escaped = text.replace(/[\\']/g, (character) => `\\${character}`).replace(/\0/g, '\\0');
  return `'${escaped}'`;
}

/** The name as its author wrote it, from the print. */
export function asWritten(printed: string): string {
  return printed.replace(/[\ue000-\ue1ff]/g, (character) => {
    const code = character.charCodeAt(0);
    if (code < ESCAPES) return String.fromCharCode(code - CHARACTERS);
    const letter = String.fromCharCode(code - ESCAPES);
    return LETTERS[letter] ?? letter;
  });
}

function endOfQuotes(text: string, start: number): number | undefined {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '\\') at += 1;
    else if (character === quote) return at;
  }
  return undefined;
}

interface Spelled {
  readonly statement: string;
  readonly printable: string;
}

function spellName(bytes: string): Spelled | undefined {
  const name = utf8(bytes);
  if (name === undefined || PRIVATE.test(name) || LINE_ENDS.test(name)) return undefined;
  let printable = '';
  for (let at = 0; at < name.length; at += 1) {
    const character = name.charAt(at);
    if (character === '\\') {
      at += 1;
      printable += String.fromCharCode(ESCAPES + name.charCodeAt(at));
    } else if (character > '\u007f' || PLAIN.test(character)) printable += character;
    else printable += String.fromCharCode(CHARACTERS + character.charCodeAt(0));
  }
  return { statement: name, printable };
}

/**
 * Values stay unchanged, except for characters that could break a line of the print. Blanks stay
 * blanks. Bytes that are not UTF-8 become escapes.
 */
function spellText(bytes: string): Spelled {
  const statement = utf8(bytes) ?? bytes.replace(/[\u0080-\u00ff]/g, byteEscape);
  const printable = statement
    .replace(/[\u0085\u2028\u2029\ue000-\ue1ff]/g, UNTOLD)
    .replace(/\\(.)/gs, (escape, letter: string) => {
      if (letter === '\\' || letter === "'") return escape;
      return /[nrt]/.test(letter) ? ' ' : UNTOLD;
    });
  return { statement, printable };
}

function byteEscape(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16)}`;
}

function utf8(bytes: string): string | undefined {
  try {
    return decoder.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}
