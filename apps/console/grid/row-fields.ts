/** A value stays as the server wrote it. Numbers are not parsed, so none loses a digit. */
export interface RawValue {
  readonly kind: 'text' | 'number' | 'boolean' | 'null' | 'nested';
  /** It is a text without its quotes, and the JSON of every other value. */
  readonly text: string;
}

/**
 * Takes the fields of one line of NDJSON apart. `JSON.parse` would round integers beyond 2^53.
 * @param line is a whole object, as servers write it
 */
export function rowFields(line: string): ReadonlyMap<string, RawValue> {
  const fields = new Map<string, RawValue>();
  let at = line.indexOf('{') + 1;
  while (at > 0 && at < line.length) {
    const from = line.indexOf('"', at);
    if (from === -1) break;
    const nameEnd = endOfText(line, from);
    const colon = line.indexOf(':', nameEnd);
    const valueEnd = endOfValue(line, colon + 1);
    const name = JSON.parse(line.slice(from, nameEnd)) as string;
    fields.set(name, valueOf(line.slice(colon + 1, valueEnd).trim()));
    at = valueEnd + 1;
  }
  return fields;
}

/**
 * Takes the elements of a list apart, and leaves each as the server wrote it.
 * @param json is the whole list
 */
export function listElements(json: string): readonly string[] {
  const elements: string[] = [];
  for (let at = json.indexOf('[') + 1; at > 0 && at < json.length;) {
    const end = endOfValue(json, at);
    const element = json.slice(at, end).trim();
    if (element !== '') elements.push(element);
    if (json[end] !== ',') break;
    at = end + 1;
  }
  return elements;
}

function valueOf(json: string): RawValue {
  switch (json[0]) {
    case '"':
      return { kind: 'text', text: JSON.parse(json) as string };
    case '{':
    case '[':
      return { kind: 'nested', text: json };
    case 'n':
      return { kind: 'null', text: 'null' };
    case 't':
    case 'f':
      return { kind: 'boolean', text: json };
    default:
      return { kind: 'number', text: json };
  }
}

/**
 * Finds the end of a text.
 * @returns the place behind the closing quote
 */
function endOfText(line: string, from: number): number {
  let at = from + 1;
  while (at < line.length && line[at] !== '"') at += line[at] === '\\' ? 2 : 1;
  return at + 1;
}

/**
 * Finds the end of a value.
 * @returns the place of the comma, brace or bracket that ends it
 */
function endOfValue(line: string, from: number): number {
  let depth = 0;
  for (let at = from; at < line.length;) {
    const letter = line[at];
    if (letter === '"') {
      at = endOfText(line, at);
      continue;
    }
    if (letter === '{' || letter === '[') depth += 1;
    else if (depth === 0 && (letter === ',' || letter === '}' || letter === ']')) return at;
    else if (letter === '}' || letter === ']') depth -= 1;
    at += 1;
  }
  return line.length;
}

/** Writes a nested value over several lines. Only white space is added. */
export function spread(json: string): string {
  let depth = 0;
  let out = '';
  const newLine = (): string => `\n${'  '.repeat(depth)}`;
  for (let at = 0; at < json.length;) {
    const letter = json.charAt(at);
    if (letter === '"') {
      const end = endOfText(json, at);
      out += json.slice(at, end);
      at = end;
      continue;
    }
    const next = json[at + 1];
    const isEmpty = (letter === '{' && next === '}') || (letter === '[' && next === ']');
    if (isEmpty) {
      out += letter + next;
      at += 2;
      continue;
    }
    if (letter === '{' || letter === '[') {
      depth += 1;
      out += letter + newLine();
    } else if (letter === '}' || letter === ']') {
      depth -= 1;
      out += newLine() + letter;
    } else if (letter === ',') out += letter + newLine();
    else if (letter === ':') out += ': ';
    else if (!/\s/.test(letter)) out += letter;
    at += 1;
  }
  return out;
}
