import { accessSync, constants, statSync } from 'node:fs'
import path from 'node:path'

/** One way to get a server or a program: resolves to what it found, or to the reason why it found nothing. */
export type Way<Found> = (context: Context) => Answer<Found> | Promise<Answer<Found>>
export type Answer<Found> = { found: Found } | { missing: string }

/** What the ways depend on; tests pass their own. */
export type Context = {
  readonly env: NodeJS.ProcessEnv
  readonly platform: NodeJS.Platform
  /** 0 is root. */
  readonly userId: number
  readonly nodePath: string
  /** Gets the progress of a way that takes long. */
  readonly onUpdate: (text: string) => void
}

export const createContext = (overrides: Partial<Context> = {}): Context => ({
  env: process.env,
  platform: process.platform,
  userId: process.getuid?.() ?? -1,
  nodePath: process.execPath,
  onUpdate: () => undefined,
  ...overrides,
})

/**
 * Makes a function that tries the ways in their order until one finds something. It throws an Error that names why each way
 * failed, and what the user can do (`choices`).
 */
export const findFirst =
  <Found>(what: string, ways: readonly Way<Found>[], choices: readonly string[]) =>
  async (overrides?: Partial<Context>): Promise<Found> => {
    const context = createContext(overrides)
    const reasons = []
    for (const way of ways) {
      const answer = await way(context)
      if ('found' in answer) return answer.found
      reasons.push(answer.missing)
    }
    const list = (lines: readonly string[]) => lines.map((line) => `  - ${line}`).join('\n')
    throw new Error(`No ${what} was found:\n${list(reasons)}\nAny one of these will do:\n${list(choices)}`)
  }

/** Looks a command up as a shell would. @param moreDirs searched after PATH @returns its absolute path */
export function findOnPath(name: string, env: NodeJS.ProcessEnv, moreDirs: readonly string[] = []) {
  const dirs = (env['PATH'] ?? '').split(path.delimiter).filter((dir) => dir !== '')
  return [...dirs, ...moreDirs].map((dir) => path.resolve(dir, name)).find(isExecutable)
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** Whether a dotted version is at least another one. */
export const isAtLeast = (version: string, least: string): boolean =>
  version.localeCompare(least, 'en', { numeric: true }) >= 0
