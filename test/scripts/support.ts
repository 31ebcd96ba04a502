import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { processStartTime } from '../../scripts/lib/processes.ts'

export { useTemporaryDirectory } from '../support/temporary-directory.ts'

/**
 * Puts an executable file into a directory.
 *
 * @param source a Node program, or a shell script when it starts with `#!`
 * @returns its path
 */
export async function writeProgram(dir: string, name: string, source: string): Promise<string> {
  const file = path.join(dir, name)
  await writeFile(file, source.startsWith('#!') ? source : `#!${process.execPath}\n${source}`, {
    mode: 0o755,
  })
  return file
}

/** Our environment without the variables for the tests' servers. */
export function userEnvironment(): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, TEMPORAL_ADDRESS: _address, TEMPORAL_NAMESPACE: _namespace, ...env } = process.env
  return env
}

/** A separate program that uses the scripts' libraries. */
export type Program = {
  readonly pid: number
  /** Waits for the next line it prints. */
  line(): Promise<string>
  /** Sends it a signal. */
  signal(signal: NodeJS.Signals): void
  /** Its exit code (null when a signal ended it) and all of its output. */
  readonly ended: Promise<{ code: number | null; output: string; errors: string }>
}

/** Runs ES module source as a Node process; `import('lib/x.ts')` stands for scripts/lib/x.ts. */
export function startProgram(source: string): Program {
  const lib = new URL('../../scripts/lib/', import.meta.url).href
  const code = source.replaceAll("'lib/", `'${lib}`)
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const seen: string[] = []
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()))
  const line = async () => {
    const next = await lines.next()
    if (next.done) throw new Error(`The program printed no further line:\n${errors}`)
    seen.push(next.value)
    return next.value
  }
  const ended = once(child, 'close').then(async ([exitCode]) => {
    for (let next = await lines.next(); !next.done; next = await lines.next()) seen.push(next.value)
    return { code: exitCode as number | null, output: seen.join('\n'), errors }
  })
  return { pid: child.pid!, line, signal: (signal) => child.kill(signal), ended }
}

/** Whether a process with this id exists. A zombie does not count. */
export const isAlive = (pid: number) => processStartTime(pid) !== undefined
