import { certain } from '@app/platform';

const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  "'": "\\'",
  '\\': '\\\\',
};
const escaped = (text: string): string =>
  text.replace(/[\0\t\n\r'\\]/g, (each) => certain(ESCAPES[each], 'escape'));

/** The value of a placeholder, as the engine reads it from an address: tab-separated text. */
export function boundValue(value: unknown): string {
  if (Array.isArray(value))
    return `[${value.map((each) => (typeof each === 'string' ? `'${escaped(each)}'` : String(each))).join(',')}]`;
  if (typeof value === 'boolean') return value ? '1' : '0';
  return escaped(String(value));
}
