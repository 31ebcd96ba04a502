/** `retrySchedule` -> `retry_schedule`: one of our field names as the API and the audit write it. */
export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** `retry_schedule` -> `retrySchedule`. */
const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The fields of a body under our own names. The values stay as they are. */
export const camelCased = (body: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [camelCase(name), value]))

/** The same fields under the names that the API gives them. */
export const snakeCased = <T>(fields: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value]))
