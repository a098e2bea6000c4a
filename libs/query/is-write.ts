const WRITES =
  /^\s*(?:insert|update|delete|merge|create|drop|alter|truncate|grant|revoke|comment|vacuum|refresh|reindex|cluster|lock|copy|do|call|import|attach|detach|rename|optimize)\b/i;

/**
 * Tells by a statement's first word whether it would change something. Clients of databases get a
 * message about it.
 */
export const isWrite = (statement: string): boolean => WRITES.test(statement);
