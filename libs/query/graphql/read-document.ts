import {
  GraphQLError,
  Kind,
  Lexer,
  parse,
  Source,
  TokenKind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { selectedFields } from '@app/graphql-cost';
import { MillraceError } from '@app/platform';
import { GraphqlFailure } from './graphql-failure.js';

const TOKENS_MAX = 10_000;
/** The number of fields. Validation compares the fields of one place with each other. */
const FIELDS_MAX = 2000;
/** The depth of nested brackets; GraphiQL's question at start has about 15. */
const DEPTH_MAX = 32;

const BEGINS_AS_JSON = /^\s*\{\s*"/;

/** A document with the operation to run. */
export interface Operation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
}

/** @throws {MillraceError} EMPTY_BODY, INVALID_GRAPHQL */
export function readDocument(text: string, operationName: string | undefined): Operation {
  if (text.trim() === '')
    throw new MillraceError('EMPTY_BODY', 'the document is empty; send a GraphQL query');
  if (BEGINS_AS_JSON.test(text))
    throw failure(
      'that is JSON, not GraphQL; JSON wants the header Content-Type: application/json',
    );
  let document: DocumentNode;
  try {
    checkSize(text);
    document = parse(text, { maxTokens: TOKENS_MAX });
  } catch (error) {
    if (error instanceof GraphQLError) throw new GraphqlFailure([error]);
    throw error;
  }
  const operations = document.definitions.filter((each) => each.kind === Kind.OPERATION_DEFINITION);
  const operation = chooseOperation(operations, operationName);
  if (operation.operation !== OperationTypeNode.QUERY)
    throw failure(`only queries are answered here, no ${operation.operation}`, operation);
  if (selectedFields(document, operation, FIELDS_MAX) > FIELDS_MAX)
    throw failure(`a query may select at most ${FIELDS_MAX} fields, fragments counted each time`);
  const fragments = document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION);
  return {
    document,
    operation,
    fragments: new Map(fragments.map((fragment) => [fragment.name.value, fragment])),
  };
}

/** Checks the depth before the text is parsed, because the parser recurses for each bracket. */
function checkSize(text: string): void {
  const lexer = new Lexer(new Source(text));
  let depth = 0;
  let tokens = 0;
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    tokens += 1;
    if (tokens > TOKENS_MAX)
      throw new GraphQLError(`a document may have at most ${TOKENS_MAX} tokens`);
    if (/^[{[(]$/.test(token.kind)) depth += 1;
    if (/^[}\])]$/.test(token.kind)) depth -= 1;
    if (depth > DEPTH_MAX)
      throw new GraphQLError(`a document may be nested ${DEPTH_MAX} deep at most`);
  }
}

function chooseOperation(
  operations: readonly OperationDefinitionNode[],
  name: string | undefined,
): OperationDefinitionNode {
  const [only, more] = operations;
  if (name !== undefined) {
    const named = operations.find((each) => each.name?.value === name);
    if (named) return named;
    throw failure(`the document has no operation called ${JSON.stringify(name)}`);
  }
  if (!only) throw failure('the document has no query');
  if (more) throw failure('the document has several operations; choose one by operationName', more);
  return only;
}

function failure(message: string, node?: OperationDefinitionNode | FieldNode): GraphqlFailure {
  return new GraphqlFailure([new GraphQLError(message, node ? { nodes: node } : {})]);
}
