import { sourceCredentials, type SourceCredentials } from '../sources/source-credentials.js';

/** The variables of its environment that the edge program reads. */
export interface EdgeEnvironment {
  /** The address to listen at unless an argument says otherwise. The names are ROAPI's. */
  readonly host: string | undefined;
  readonly port: string | undefined;
  /** The user who reads the hosted organization that is followed. */
  readonly user: string | undefined;
  /** Secret: the account's password or the organization's passcode. */
  readonly password: string | undefined;
  /**
   * Secret: the token that callers must send. Unlike `--token`, it does not appear in the list of
   * processes.
   */
  readonly token: string | undefined;
}

/** An empty variable counts as none. */
export function readEdgeEnvironment(variables: NodeJS.ProcessEnv = process.env): EdgeEnvironment {
  return {
    host: variables['HOST'] || undefined,
    port: variables['PORT'] || undefined,
    user: variables['MILLRACE_USER'] || undefined,
    password: variables['MILLRACE_PASSWORD'] || undefined,
    token: variables['MILLRACE_EDGE_TOKEN'] || undefined,
  };
}

/** Keys to the places that tables are read from. */
export const readSourceCredentials = (
  variables: NodeJS.ProcessEnv = process.env,
): SourceCredentials => sourceCredentials(variables);
