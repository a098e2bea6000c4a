/** Names stay as they are typed: a phone's keyboard would begin each with a capital. */
export const AS_TYPED = { autocapitalize: 'none', spellcheck: false } as const;
