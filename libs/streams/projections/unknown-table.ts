/** The warehouse has a table whose owner is unknown to the events. */
export class UnknownTableError extends Error {
  constructor(table: string) {
    super(
      `the events know nothing of the warehouse's table ${table}: is the event store the one that this data directory was used with, and as new as it is? If it was restored from an earlier backup, \`millrace reconcile\` lists what it does not know, and brings both together`,
    );
    this.name = 'UnknownTableError';
  }
}
