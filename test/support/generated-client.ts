import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { execa } from 'execa'
import { COMPILER, packageBin } from '../../scripts/lib/paths.mjs'

/** How a user of the client would compile it, strictly; `skipLibCheck` spares Node's own types alone. */
const TSCONFIG = {
  compilerOptions: {
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    rootDir: '.',
    outDir: 'out',
  },
  include: ['client', 'program.ts'],
}

export type GeneratedClient = Awaited<ReturnType<typeof generateClient>>

/**
 * Generates a client from the description (OpenAPI, as text) with @hey-api/openapi-ts into a temporary folder, as
 * `client/`, and puts the TypeScript program next to it.
 */
export async function generateClient(description: string, program: string) {
  const dir = await mkdtemp(path.join(tmpdir(), 'webhooks-client-'))
  const file = (name: string) => path.join(dir, name)
  const modules = path.resolve('node_modules')
  await symlink(modules, file('node_modules'))
  await writeFile(file('package.json'), '{"type":"module"}')
  await writeFile(file('tsconfig.json'), JSON.stringify(TSCONFIG))
  await writeFile(file('openapi.json'), description)
  await writeFile(file('program.ts'), program)
  const run = async (command: string, args: readonly string[]) => {
    const { exitCode, all } = await execa(command, args, { cwd: dir, all: true, reject: false })
    if (exitCode !== 0) throw new Error(all)
  }
  await run(packageBin('openapi-ts'), ['-i', 'openapi.json', '-o', 'client', '--silent', '--no-log-file'])
  return {
    /** Type-checks client and program. @throws Error with what the compiler says */
    compile: () => run(COMPILER, ['-p', 'tsconfig.json']),
    /** Runs the compiled program and reads the JSON that it prints. */
    async run(environment: Record<string, string>): Promise<unknown> {
      const { stdout } = await execa(process.execPath, ['out/program.js'], { cwd: dir, env: environment })
      return JSON.parse(stdout) as unknown
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  }
}
