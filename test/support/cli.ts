import { execa } from 'execa'
import { countBoot, programEnvironment } from './environment.ts'
import type { Json } from './tenants.ts'

export type CliResult = {
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
}

/** `dir`: the folder of another build. `input`: the text on stdin. */
type Options = { readonly dir?: string; readonly input?: string }

/** Runs the built command line in its own process, with exactly this environment. */
export async function cliResult(
  args: readonly string[],
  environment: Record<string, string>,
  { dir = process.cwd(), ...input }: Options = {},
): Promise<CliResult> {
  countBoot()
  const env = { ...programEnvironment(), ...environment }
  const options = { ...input, cwd: dir, env, extendEnv: false, reject: false } as const
  const { exitCode, stdout, stderr } = await execa(process.execPath, ['dist/cli.js', ...args], options)
  return { exitCode, stdout, stderr }
}

/** Runs a command that must succeed and reads its JSON document. */
export async function runCli(
  args: readonly string[],
  environment: Record<string, string>,
  options?: Options,
): Promise<Json> {
  const { exitCode, stdout, stderr } = await cliResult([...args, '--json'], environment, options)
  if (exitCode !== 0)
    throw new Error(`cli ${args.join(' ')} ended with ${String(exitCode)}:\n${stdout}${stderr}`)
  return JSON.parse(stdout)
}
