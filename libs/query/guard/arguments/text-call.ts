/** An argument of a function, as far as its text is known. */
export type Argument =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'call'; readonly call: TextCall }
  /** Numbers, tuples, lists, NULL. */
  | { readonly kind: 'constant'; readonly whole: number | undefined }
  | { readonly kind: 'other' };

export interface TextCall {
  /** The name of the function, as it is written. */
  readonly name: string;
  readonly isTable: boolean;
  readonly arguments: readonly Argument[];
}

const TEXT =
  /^(?:alias: [^,]*, )?constant_value: '((?:[^'\\]|\\.)*)', constant_value_type: String$/;

/** @param attributes of a CONSTANT of the print. */
export function constantArgument(attributes: string): Argument {
  const text = TEXT.exec(attributes)?.[1];
  if (text !== undefined) return { kind: 'text', text: text.replace(/\\(.)/g, '$1') };
  const whole = /^(?:alias: [^,]*, )?constant_value: UInt64_(\d+),/.exec(attributes)?.[1];
  // A text that is printed in another way could be anything.
  return / constant_value_type: (?:String|LowCardinality|FixedString)/.test(` ${attributes}`)
    ? { kind: 'other' }
    : { kind: 'constant', whole: whole === undefined ? undefined : Number(whole) };
}
