/** The bytes are no Arrow that is taken. The message goes on from the file's name and a colon. */
export class MalformedArrowError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedArrowError';
  }
}
