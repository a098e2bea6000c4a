/**
 * Marks all tables of organizations as detached, or none of them. The engine must not run.
 * @param data the engine's folder
 */
export function markTables(data: string, areLate: boolean): void;
