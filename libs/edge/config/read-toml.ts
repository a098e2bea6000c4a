import { parse, TomlError } from 'smol-toml';
import { OperatorError } from '@app/platform';
import type { ConfigDocument } from './read-yaml.js';

/** @throws {Error} that says where the text is not TOML */
export function readToml(text: string): ConfigDocument {
  try {
    return { value: parse(text), placeOf: () => '' };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ''] = error.message.split('\n');
    throw new OperatorError(`:${error.line}:${error.column}: ${first}`, { cause: error });
  }
}
