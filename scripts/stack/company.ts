import { lastLines, run } from '../lib/commands.ts'
import { ROOT } from '../lib/paths.mjs'
import type { OnUpdate } from '../lib/progress.ts'

/** Runs the operator's command line. @param onLine gets its progress @returns its JSON document @throws Error with what it said */
export async function cli(args: readonly string[], env: NodeJS.ProcessEnv, onLine?: OnUpdate) {
  const command = ['dist/cli.js', ...args, '--json']
  const { code, output, stdout } = await run(process.execPath, command, { cwd: ROOT, env, onLine })
  if (code !== 0) throw new Error(`"cli ${args.slice(0, 2).join(' ')}" failed:\n${lastLines(output)}`)
  return JSON.parse(stdout) as Record<string, string>
}

/** Makes a key, for a new company unless one is named. @param scopes separated by commas */
export async function createKey(env: NodeJS.ProcessEnv, scopes: string, known?: string, name = 'Benchmark') {
  const companyId = known ?? (await cli(['company', 'create', '--name', name], env))['id']!
  const args = ['key', 'create', '--company', companyId, '--name', name, '--scopes', scopes]
  const { id, key } = await cli(args, env)
  return { companyId, keyId: id!, key: key! }
}
