const WRITES =
  /^\s*(?:insert|update|delete|merge|create|drop|alter|truncate|grant|revoke|comment|vacuum|refresh|reindex|cluster|lock|copy|do|call|import|attach|detach|rename|optimize)\b/i;

/** Tells whether a statement would change something, by its first word; clients of databases are told so by name. */
export const isWrite = (statement: string): boolean => WRITES.test(statement);
