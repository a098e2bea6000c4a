import { type KeyPath, OperatorError } from '@app/platform';
import {
  type Document,
  isNode,
  LineCounter,
  parseDocument,
  Scalar,
  YAMLMap,
  type CollectionTag,
  type ScalarTag,
} from 'yaml';

/** A configuration file as data, and where in its text a key is. */
export interface ConfigDocument {
  readonly value: unknown;
  /** `:<line>:<column>` of the value at the path or of the nearest that is there; empty when unknown. */
  placeOf(path: KeyPath): string;
}

/** Arrow's types with parameters, which ROAPI's files write as tags: `!Timestamp [Second, null]`. */
const PARAMETRIC = [
  'Timestamp',
  'Time32',
  'Time64',
  'Duration',
  'Decimal128',
  'List',
  'LargeList',
  'Struct',
];

const tagged: (CollectionTag | ScalarTag)[] = PARAMETRIC.flatMap((name) => [
  ...(['map', 'seq'] as const).map((collection): CollectionTag => ({
    tag: `!${name}`,
    collection,
    resolve: (value) => {
      const map = new YAMLMap();
      // A node, to which the library may tie a comment that stands before it.
      map.set(new Scalar(name), value);
      return map;
    },
  })),
  { tag: `!${name}`, resolve: (value: string) => ({ [name]: value }) },
]);

/** @throws {Error} that says where the text is not YAML */
export function readYaml(text: string): ConfigDocument {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    customTags: tagged,
    prettyErrors: false,
    uniqueKeys: true,
  });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `:${line}:${col}`;
  };
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw new OperatorError(`${at(problem.pos[0])}: ${problem.message}`);
  return {
    value: unfold(document),
    placeOf: (path) => {
      for (let length = path.length; length > 0; length -= 1) {
        const node = document.getIn(path.slice(0, length), true);
        if (isNode(node) && node.range) return at(node.range[0]);
      }
      return '';
    },
  };
}

/** Aliases of nothing, and those that would unfold without end, are refused here by the library. */
function unfold(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new OperatorError(`: ${(error as Error).message}`, { cause: error });
  }
}
