import type { Statement } from './connection/statements.ts'

/** A text as part of a LIKE pattern, with its wildcards escaped. */
export const literally = (text: string): string => text.replaceAll(/[\\%_]/g, String.raw`\$&`)

/**
 * That a column contains a text, ASCII letters in either case, others as they are. The server compares the bytes of both as
 * latin1, because its search in UTF-8 takes ten times as long.
 *
 * @param column of text or bytes in UTF-8
 */
export const contains = (column: string, text: string): Statement => ({
  sql: `CONVERT(CAST(${column} AS BINARY) USING latin1) LIKE CONVERT(? USING latin1) COLLATE latin1_general_ci`,
  values: [Buffer.from(`%${literally(text)}%`)],
})

/** That a column of JSON contains a text, as it is or as a JSON text has it: `"` may be sought as `"` or as `\"`. */
export function containsInJson(column: string, text: string): Statement {
  const escaped = JSON.stringify(text).slice(1, -1)
  return escaped === text
    ? contains(column, text)
    : anyOf([contains(column, text), contains(column, escaped)])
}

/** That at least one of the conditions holds. */
export const anyOf = (conditions: readonly Statement[]): Statement => joined(conditions, ' OR ')

/** That all conditions hold; at least one. */
export const allOf = (conditions: readonly Statement[]): Statement => joined(conditions, ' AND ')

const joined = (conditions: readonly Statement[], by: string): Statement => ({
  sql: `(${conditions.map(({ sql }) => sql).join(by)})`,
  values: conditions.flatMap(({ values }) => values),
})
