/** A text as one word of a POSIX shell, whatever it contains. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`
