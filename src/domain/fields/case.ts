/** `retrySchedule` becomes `retry_schedule`: the name of a field in the API and in the audit. */
export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** `retry_schedule` becomes `retrySchedule`. */
const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The fields of a body under the names of our code. The values stay as they are. */
export const camelCased = (body: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [camelCase(name), value]))

/** The fields of our code under their names in the API. */
export const snakeCased = <T>(fields: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value]))
