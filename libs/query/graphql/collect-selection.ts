import {
  getDirectiveValues,
  GraphQLError,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  Kind,
  type FieldNode,
  type FragmentDefinitionNode,
  type getVariableValues,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { GraphqlFailure } from './graphql-failure.js';

type VariableValues = NonNullable<ReturnType<typeof getVariableValues>['coerced']>;

/**
 * Fields at one place in the answer, by their key in it. Several are the same field, selected more
 * than once.
 */
export type Selection = ReadonlyMap<string, readonly [FieldNode, ...FieldNode[]]>;

const FIELDS_MAX = 2000;

/** Follows fragments and directives. Counts fields, because fragments can make many out of few. */
export class SelectionReader {
  private fields = 0;

  constructor(
    private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    readonly variables: VariableValues,
  ) {}

  /** @throws {MillraceError} INVALID_GRAPHQL when there are too many. */
  read(...sets: readonly (SelectionSetNode | undefined)[]): Selection {
    const selection = new Map<string, [FieldNode, ...FieldNode[]]>();
    for (const set of sets) for (const node of set?.selections ?? []) this.add(node, selection);
    return selection;
  }

  /** The selection below fields that are the same. */
  below(nodes: readonly FieldNode[]): Selection {
    return this.read(...nodes.map(({ selectionSet }) => selectionSet));
  }

  private add(node: SelectionNode, selection: Map<string, [FieldNode, ...FieldNode[]]>): void {
    this.fields += 1;
    if (this.fields > FIELDS_MAX) {
      throw new GraphqlFailure([
        new GraphQLError(
          `a query may select at most ${FIELDS_MAX} fields, fragments counted each time`,
        ),
      ]);
    }
    if (!this.isIncluded(node)) return;
    if (node.kind === Kind.FIELD) {
      const key = node.alias?.value ?? node.name.value;
      const same = selection.get(key);
      if (same) same.push(node);
      else selection.set(key, [node]);
      return;
    }
    const set =
      node.kind === Kind.INLINE_FRAGMENT
        ? node.selectionSet
        : this.fragments.get(node.name.value)?.selectionSet;
    for (const each of set?.selections ?? []) this.add(each, selection);
  }

  private isIncluded(node: SelectionNode): boolean {
    const skip = getDirectiveValues(GraphQLSkipDirective, node, this.variables);
    const include = getDirectiveValues(GraphQLIncludeDirective, node, this.variables);
    return skip?.if !== true && include?.if !== false;
  }
}
