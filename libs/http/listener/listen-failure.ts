import { OperatorError } from '@app/platform';

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'no machine of that name is known here',
  EAI_AGAIN: 'no machine of that name is known here',
  EACCES: 'it takes more rights to listen there',
};

/**
 * Makes the handler for the `catch` of a server that cannot listen.
 * @param setting by which another address can be chosen
 * @throws {Error} that says so, or whatever was caught
 */
export const listenFailure =
  (setting: string) =>
  (error: unknown): never => {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = REASONS[code ?? ''];
    if (reason === undefined) throw error;
    throw new OperatorError(`${message}: ${reason}; choose another address by ${setting}`, {
      cause: error,
    });
  };
