import type { GraphQLError } from 'graphql';
import { MillraceError } from '@app/platform';

const TOLD_MAX = 20;

/** A document that cannot be answered, with every mistake that was found in it. */
export class GraphqlFailure extends MillraceError {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    const [first] = errors;
    const [place] = first?.locations ?? [];
    const where = place ? ` (line ${place.line}, column ${place.column})` : '';
    super('INVALID_GRAPHQL', `${first?.message ?? 'the document is not valid'}${where}`);
    this.name = 'GraphqlFailure';
    this.errors = errors.slice(0, TOLD_MAX);
  }
}
