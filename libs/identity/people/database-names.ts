/** Makes names for databases of new organizations. Nobody can guess them. */
export abstract class DatabaseNames {
  abstract newDatabase(): string;
}
