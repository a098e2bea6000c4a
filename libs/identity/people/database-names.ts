/** Names that new organizations' databases get: nobody can guess one. */
export abstract class DatabaseNames {
  abstract newDatabase(): string;
}
