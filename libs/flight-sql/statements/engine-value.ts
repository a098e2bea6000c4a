/** A value as the engine takes it: text in its notation, and the type that it is read as. */
export interface EngineValue {
  readonly type: string;
  readonly text: string;
  /** The text is bytes in hexadecimal digits: they are no UTF-8. */
  readonly isHex?: true;
}
