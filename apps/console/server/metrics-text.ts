/** A value that a process measures. */
export interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Reads Prometheus' text; what is no sample is passed over. */
export function readMetrics(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line): Sample[] => {
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const pairs = [...labels.matchAll(LABEL)].map(
      ([, label = '', escaped = '']) => [label, unescaped(escaped)] as const,
    );
    return [{ name, labels: new Map(pairs), value: numberOf(value) }];
  });
}

const ESCAPED: Readonly<Record<string, string>> = { '\\n': '\n', '\\"': '"', '\\\\': '\\' };

const unescaped = (text: string): string => text.replace(/\\./g, (pair) => ESCAPED[pair] ?? pair);

function numberOf(text: string): number {
  if (text === '+Inf') return Infinity;
  return text === '-Inf' ? -Infinity : Number(text);
}
