import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Paths of all documents from the root of the tree on. */
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const withoutCode = (text: string): string => text.replace(/^```[^]*?^```/gm, '');

/** The anchors that GitHub makes of a document's headings. */
function anchorsOf(path: string): ReadonlySet<string> {
  const headings = [...withoutCode(textOf(path)).matchAll(/^#+ (.+)$/gm)];
  return new Set(
    headings.map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replace(/ /g, '-'),
    ),
  );
}

/** Lists the links of a document that stay within this tree: [path, anchor]. */
function linksOf(path: string): (readonly [string, string])[] {
  return [...withoutCode(textOf(path)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor = ''] = target.split('#');
      return [file === '' ? path : normalize(join(dirname(path), file)), anchor] as const;
    });
}

describe('documents', () => {
  it('link to what is there', () => {
    expect(documents.length).toBeGreaterThan(10);
    const dead = documents.flatMap((path) =>
      linksOf(path)
        .filter(
          ([file, anchor]) =>
            !existsSync(join(root, file)) ||
            (anchor !== '' && file.endsWith('.md') && !anchorsOf(file).has(anchor)),
        )
        .map(([file, anchor]) => `${path}: ${file}#${anchor}`),
    );
    expect(dead).toEqual([]);
  });

  it('keeps the overview to 1,500 words and three diagrams, and names files that are there', () => {
    const overview = textOf('ARCHITECTURE.md');
    expect(overview.split(/\s+/).length).toBeLessThanOrEqual(1500);
    expect(overview.match(/^```mermaid$/gm)).toHaveLength(3);
    const named = [...overview.matchAll(/(?:apps|libs|test|bin)\/[\w./-]*\.(?:ts|mjs)/g)];
    expect(named.length).toBeGreaterThan(10);
    expect(named.map(([path]) => path).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('keeps the glossary to 60 terms, each once', () => {
    const terms = [...textOf('docs/glossary.md').matchAll(/^\| \*\*(.+?)\*\*/gm)].map(
      ([, term]) => term,
    );
    expect(terms.length).toBeGreaterThan(20);
    expect(terms.length).toBeLessThanOrEqual(60);
    expect(new Set(terms).size).toBe(terms.length);
  });
});
