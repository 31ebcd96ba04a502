/** Whether every part of the service can keep the text: no NUL, no half of a surrogate pair. */
export const isStorable = (text: string): boolean => !/\0|\p{Surrogate}/u.test(text)

/** Whether the text has more characters than that, as Unicode, JSON Schema and the database count them: an emoji is one. */
export const isLongerThan = (text: string, maximum: number): boolean =>
  // Stryker disable next-line ConditionalExpression,EqualityOperator: it only saves counting
  text.length > maximum && Array.from(text).length > maximum

/** What is wrong with a text that people read, behind the name of its field; undefined when nothing is. */
export function textFault(text: string, maximum: number): string | undefined {
  if (!isStorable(text)) return 'must not contain NUL or unpaired surrogates'
  if (text.trim() === '') return 'must not be blank'
  return isLongerThan(text, maximum) ? `must not be longer than ${maximum} characters` : undefined
}
