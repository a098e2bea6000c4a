import type { MillraceError } from './errors.js';

/** The JSON that a client gets for a failure. */
export interface ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly error_detail?: string;
}

export function bodyOf(failure: MillraceError): ErrorBody {
  return {
    code: failure.code ?? failure.status,
    message: failure.message,
    ...(failure.detail === undefined ? {} : { error_detail: failure.detail }),
  };
}
