/** A variable that `npm test` sets; without it the test was started by hand. */
export function requiredEnv(name: string): string {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is not set: run the tests with npm test -- <suite>`)
  return value
}

/** Not for what a test starts of its own files: those would fill the cache. Mocha gives it to its processes before. */
const { NODE_COMPILE_CACHE: compileCache, MOCHA_WORKER_ID: workerId } = process.env
if (workerId !== undefined) Reflect.deleteProperty(process.env, 'NODE_COMPILE_CACHE')

/** What a program of a build is started with besides its settings. What it compiles is kept for the next one. */
export function programEnvironment(): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    ...(compileCache !== undefined && { NODE_COMPILE_CACHE: compileCache }),
  }
}

let boots = 0

/** Counts a process that a test boots. */
export const countBoot = (): void => void boots++

/** How many processes the tests of this process have booted. */
export const bootsSoFar = (): number => boots
