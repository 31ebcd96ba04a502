/** A variable that `npm test` sets. If it is unset, a person started the test directly. */
export function requiredEnv(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: run the tests with npm test -- <suite>`)
  return value
}

/** Mocha's processes have read the variable. Remove it, or programs written by a test would fill the cache. */
const { NODE_COMPILE_CACHE: compileCache, MOCHA_WORKER_ID: workerId } = process.env
if (workerId !== undefined) Reflect.deleteProperty(process.env, 'NODE_COMPILE_CACHE')

/** The environment of a built program apart from its settings. Node keeps the code it compiles for later programs. */
export function programEnvironment(): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    ...(compileCache !== undefined && { NODE_COMPILE_CACHE: compileCache }),
  }
}

let boots = 0

/** Counts a process that a test boots. */
export const countBoot = (): void => void boots++

/** How many processes the tests of this mocha process have booted. */
export const bootsSoFar = (): number => boots
