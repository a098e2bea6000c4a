import {
  getNamedType,
  GraphQLError,
  isLeafType,
  isObjectType,
  ScalarLeafsRule,
  specifiedRules,
  validate,
  VariablesInAllowedPositionRule,
  type ASTVisitor,
  type ValidationContext,
} from 'graphql';
import { GraphqlFailure } from './graphql-failure.js';
import { LENIENT } from './schema/graphql-scalars.js';
import type { Operation } from './read-document.js';
import type { OrganizationSchema } from './schema/organization-schema.js';

/** @throws {MillraceError} INVALID_GRAPHQL */
export function validateDocument(
  { schema, jsonTypes }: OrganizationSchema,
  { document }: Operation,
): void {
  const rules = specifiedRules.map((rule) => {
    if (rule === ScalarLeafsRule) return leafRule(jsonTypes);
    return rule === VariablesInAllowedPositionRule ? lenientVariables : rule;
  });
  const errors = validate(schema, document, rules, { maxErrors: 10 });
  if (errors.length > 0) throw new GraphqlFailure(errors);
}

const EXPECTED = /expecting type "(\w+)!?"/;

/**
 * Replaces a rule of the standard, so that `$status: Int` may be compared with columns: our scalars
 * of arguments accept other scalars.
 */
function lenientVariables(context: ValidationContext): ASTVisitor {
  const lenient = Object.create(context) as ValidationContext;
  lenient.reportError = (error) => {
    if (!LENIENT.has(EXPECTED.exec(error.message)?.[1] ?? '')) context.reportError(error);
  };
  return VariablesInAllowedPositionRule(lenient);
}

/**
 * Replaces a rule of the standard, so that an object of JSON may be selected as a whole, as ROAPI's
 * users do.
 */
function leafRule(jsonTypes: ReadonlySet<string>): (context: ValidationContext) => ASTVisitor {
  return (context) => ({
    Field(node) {
      const type = getNamedType(context.getType());
      if (!type) return;
      const name = node.name.value;
      if (isLeafType(type) && node.selectionSet) {
        context.reportError(
          new GraphQLError(`Field "${name}" must not have a selection since it has no subfields.`, {
            nodes: node.selectionSet,
          }),
        );
      } else if (
        isObjectType(type) &&
        !node.selectionSet?.selections.length &&
        !jsonTypes.has(type.name)
      ) {
        context.reportError(
          new GraphQLError(`Field "${name}" needs a selection of its fields: ${name} { … }`, {
            nodes: node,
          }),
        );
      }
    },
  });
}
