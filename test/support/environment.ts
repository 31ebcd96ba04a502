/** A variable that `npm test` sets; without it the test was started by hand. */
export function requiredEnv(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: run the tests with npm test -- <suite>`)
  return value
}
