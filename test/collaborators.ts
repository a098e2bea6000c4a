import { dirname, join } from 'node:path';
import ts from 'typescript';

/** A file of the program: its path and its text. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** A class, with the collaborators that its constructor gets. */
export interface Constructed {
  readonly path: string;
  readonly name: string;
  /** Each as `parameter` or `parameter.member`. */
  readonly collaborators: readonly string[];
}

type Declared = ts.InterfaceDeclaration | ts.TypeAliasDeclaration | ts.ClassDeclaration | ts.EnumDeclaration; // prettier-ignore

/** Types that count as plain values, however they are made. */
const VALUES = new Set(
  'AbortSignal Buffer Date Error Exclude Extract Map NonNullable Promise ReadonlyMap ReadonlySet Record RegExp ReturnType Set URL Uint8Array WeakMap'.split(
    ' ',
  ),
);
/** Settings of packages count as values; those of the program are examined. */
const FOREIGN_VALUES = /(?:Settings|Options|Config|Headers)$/;
const SAME_SHAPE = new Set(['Readonly', 'Partial', 'Required']);
/** The declarations that are being examined. A type within itself adds nothing. */
type Open = readonly Declared[];

/**
 * Counts what constructors are given, also within bundles: an interface of properties alone is
 * looked into, whatever its name. A class, an interface with methods, and a function are one each,
 * and so is a list of them. Plain values are none.
 */
export function constructedClasses(sources: readonly SourceText[]): Constructed[] {
  const declared = new Declarations(sources);
  return sources
    .filter(({ text }) => text.includes('constructor('))
    .flatMap((source) => classesOf(declared.parsed(source)))
    .flatMap((each) => constructed(each, declared));
}

function classesOf(file: ts.SourceFile): ts.ClassLikeDeclaration[] {
  const found: ts.ClassLikeDeclaration[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isClassLike(node)) found.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function constructed(each: ts.ClassLikeDeclaration, declared: Declarations): Constructed[] {
  const maker = each.members.find(
    (member): member is ts.ConstructorDeclaration =>
      ts.isConstructorDeclaration(member) && member.body !== undefined,
  );
  if (!maker) return [];
  const path = each.getSourceFile().fileName;
  const collaborators = maker.parameters.flatMap(({ name, type }) =>
    type ? declared.within(type, ts.isIdentifier(name) ? name.text : 'bundle') : [],
  );
  return [{ path, name: each.name?.text ?? 'class', collaborators }];
}

/** Types by their names. A file is parsed when something of it is asked for. */
class Declarations {
  private readonly byName = new Map<string, SourceText[]>();
  private readonly files = new Map<string, ts.SourceFile>();

  constructor(sources: readonly SourceText[]) {
    const form = /\b(?:interface|type|class|enum) (\w+)/g;
    for (const source of sources)
      for (const name of new Set([...source.text.matchAll(form)].map(([, each = '']) => each)))
        this.byName.set(name, [...(this.byName.get(name) ?? []), source]);
  }

  parsed({ path, text }: SourceText): ts.SourceFile {
    const known = this.files.get(path);
    const file = known ?? ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
    this.files.set(path, file);
    return file;
  }

  /** Names the collaborators that a value of the type brings. */
  within(type: ts.TypeNode, at: string, open: Open = []): string[] {
    const deeper = (inner: ts.TypeNode): string[] => this.within(inner, at, open);
    if (ts.isFunctionTypeNode(type) || ts.isConstructorTypeNode(type)) return [at];
    if (ts.isParenthesizedTypeNode(type)) return deeper(type.type);
    if (ts.isTypeOperatorNode(type)) return deeper(type.type);
    if (ts.isArrayTypeNode(type)) return deeper(type.elementType).slice(0, 1);
    if (ts.isUnionTypeNode(type)) return longest(type.types.map(deeper));
    if (ts.isIntersectionTypeNode(type)) return type.types.flatMap(deeper);
    if (ts.isTypeLiteralNode(type)) return this.members(type.members, at, open);
    if (ts.isTypeReferenceNode(type) && !isParameter(type))
      return this.referred(reference(type.typeName, type), at, open);
    return [];
  }

  private referred(
    { typeArguments: [first, second] = [], ...type }: Reference,
    at: string,
    open: Open,
  ): string[] {
    const { name, file } = type;
    if (first && SAME_SHAPE.has(name)) return this.within(first, at, open);
    if (first && name === 'ReadonlyArray') return this.within(first, at, open).slice(0, 1);
    if (first && second && (name === 'Pick' || name === 'Omit')) {
      const named = new Set(second.getText().match(/\w+/g));
      const isKept = (each: string): boolean => {
        const [, member] = each.slice(at.length).split('.');
        return member === undefined || named.has(member) === (name === 'Pick');
      };
      return this.within(first, at, open).filter(isKept);
    }
    if (VALUES.has(name)) return [];
    const found = this.find(name, file);
    if (found.length === 0) return name.startsWith('z.') || FOREIGN_VALUES.test(name) ? [] : [at];
    return longest(found.map((each) => this.declaredWithin(each, at, open)));
  }

  private declaredWithin(declared: Declared, at: string, above: Open): string[] {
    if (ts.isEnumDeclaration(declared) || above.includes(declared)) return [];
    if (ts.isClassDeclaration(declared)) return [at];
    const open = [...above, declared];
    if (ts.isTypeAliasDeclaration(declared)) return this.within(declared.type, at, open);
    const inherited = (declared.heritageClauses ?? []).flatMap(({ types }) =>
      types.flatMap((type) => this.referred(reference(type.expression, type), at, open)),
    );
    const own = this.members(declared.members, at, open);
    // A type with a method of its own, or of a base type, counts as one collaborator.
    return own.includes(at) || inherited.includes(at) ? [at] : [...inherited, ...own];
  }

  private members(members: ts.NodeArray<ts.TypeElement>, at: string, open: Open): string[] {
    const acts = members.some(
      (member) => ts.isMethodSignature(member) || ts.isCallSignatureDeclaration(member),
    );
    if (acts) return [at];
    return members.flatMap((member) =>
      ts.isPropertySignature(member) && member.type
        ? this.within(member.type, `${at}.${member.name.getText()}`, open)
        : [],
    );
  }

  /** A name of the file itself comes first, then what it imports. */
  private find(name: string, file: ts.SourceFile): readonly Declared[] {
    const own = this.named(name, file.fileName);
    const from = imported(name, file);
    return own.length > 0 || !from ? own : this.named(from.name, from.path);
  }

  private named(name: string, path: string): readonly Declared[] {
    const files = (this.byName.get(name) ?? []).filter((each) => each.path.startsWith(path));
    return files.flatMap((source) =>
      this.parsed(source).statements.filter(
        (node): node is Declared => isDeclared(node) && node.name?.text === name,
      ),
    );
  }
}

/** Gives what a name stands for in a file, and the beginning of the path from which it comes. */
function imported(name: string, file: ts.SourceFile): { name: string; path: string } | undefined {
  for (const { importClause, moduleSpecifier } of file.statements.filter(ts.isImportDeclaration)) {
    const bindings = importClause?.namedBindings;
    if (!bindings || !ts.isNamedImports(bindings)) continue;
    const found = bindings.elements.find((each) => each.name.text === name);
    if (!found) continue;
    const from = (moduleSpecifier as ts.StringLiteral).text;
    const path = from.startsWith('.')
      ? join(dirname(file.fileName), from).replace(/\.js$/, '.ts')
      : from.replace(/^@app\/(.*)$/, 'libs/$1/');
    return { name: (found.propertyName ?? found.name).text, path };
  }
  return undefined;
}

/** A name of a type, with what it is given. */
interface Reference {
  readonly name: string;
  readonly typeArguments: readonly ts.TypeNode[] | undefined;
  readonly file: ts.SourceFile;
}

const reference = (
  name: ts.Node,
  { typeArguments }: { readonly typeArguments?: readonly ts.TypeNode[] },
): Reference => ({ name: name.getText(), typeArguments, file: name.getSourceFile() });

const isDeclared = (node: ts.Node): node is Declared =>
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isEnumDeclaration(node);

/** A parameter of a class is a value: what it stands for is counted where it is made. */
function isParameter({ typeName, parent }: ts.TypeReferenceNode): boolean {
  const name = typeName.getText();
  for (let node: ts.Node = parent; !ts.isSourceFile(node); node = node.parent)
    if (ts.isClassLike(node) && node.typeParameters?.some((each) => each.name.text === name))
      return true;
  return false;
}

const longest = (lists: readonly string[][]): string[] =>
  lists.reduce((most, each) => (each.length > most.length ? each : most), []);
