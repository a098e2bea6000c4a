import {
  getArgumentValues,
  isObjectType,
  getNamedType,
  Kind,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/**
 * Counts the fields and fragments that an operation selects when its fragments are written out: a
 * few tokens of nested fragments may select millions. Counting ends above `most`.
 */
export function selectedFields(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  most: number,
): number {
  const walk = new Walk(document, most);
  const below = ({ selectionSet }: FieldNode): void => {
    if (selectionSet) walk.each(selectionSet, below);
  };
  walk.each(operation.selectionSet, below);
  return walk.count;
}

/**
 * Tells how many fields the answer to the operation's questions about the schema has: what is selected
 * times what there is in the schema, aliases and fragments included. It is counted as it would be
 * executed, and nothing is kept. Counting ends above `most`.
 */
export function introspectionCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
  most: number,
): number {
  const walk = new Walk(document, most);
  const info = { schema } as GraphQLResolveInfo;
  const visit = (node: FieldNode, field: Field | undefined, parent: unknown): void => {
    const { selectionSet } = node;
    const type = field && getNamedType(field.type);
    if (!field || !selectionSet || !isObjectType(type)) return;
    const given = node.arguments?.length ? getArgumentValues(field, node, variables) : {};
    const answer: unknown = field.resolve?.(parent, given, undefined, info);
    const fields = type.getFields();
    for (const value of (Array.isArray(answer) ? answer : [answer]) as readonly unknown[])
      if (value !== null && value !== undefined)
        walk.each(selectionSet, (child) => visit(child, fields[child.name.value], value));
  };
  const roots: Readonly<Record<string, Field>> = {
    [SchemaMetaFieldDef.name]: SchemaMetaFieldDef,
    [TypeMetaFieldDef.name]: TypeMetaFieldDef,
  };
  walk.each(operation.selectionSet, (node) => visit(node, roots[node.name.value], undefined));
  return walk.count;
}

type Field = GraphQLField<unknown, unknown>;

/**
 * Visits fields as if fragments were written out. It stops when fields and fragments together are
 * more than a bound.
 */
class Walk {
  count = 0;
  private readonly fragments = new Map<string, SelectionSetNode>();
  /** A fragment that contains itself is left to validation. */
  private readonly open: SelectionSetNode[] = [];

  constructor(
    document: DocumentNode,
    private readonly most: number,
  ) {
    for (const each of document.definitions)
      if (each.kind === Kind.FRAGMENT_DEFINITION)
        this.fragments.set(each.name.value, each.selectionSet);
  }

  each(set: SelectionSetNode, take: (node: FieldNode) => void): void {
    for (const node of set.selections) {
      if (this.count > this.most) return;
      this.count += 1;
      if (node.kind === Kind.FIELD) take(node);
      else if (node.kind === Kind.INLINE_FRAGMENT) this.each(node.selectionSet, take);
      else this.fragment(this.fragments.get(node.name.value), take);
    }
  }

  private fragment(set: SelectionSetNode | undefined, take: (node: FieldNode) => void): void {
    if (!set || this.open.includes(set)) return;
    this.open.push(set);
    this.each(set, take);
    this.open.pop();
  }
}
