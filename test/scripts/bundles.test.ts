import { copyFile, readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { expect } from 'chai'
import { execa } from 'execa'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { useTemporaryDirectory } from '../support/temporary-directory.ts'

type SourceMap = { sources: string[]; sourcesContent?: string[] }

const read = (name: string) => readFile(path.join(ROOT, 'dist', name), 'utf8')

/** The packages in the import statements of a module. */
const packagesOf = (code: string): string[] => {
  const names = [...code.matchAll(/^(?:import|\}) .*?["']([^"'\n]+)["'];$/gm)].map(([, name = '']) => name)
  return [...new Set(names.filter((name) => !isBuiltin(name)))].sort()
}

/** Each program, and the packages that it needs in addition to its file. */
const NEEDS = {
  server: ['@node-rs/argon2'],
  cli: ['@node-rs/argon2'],
  listen: [],
  worker: ['activity', 'client', 'common', 'envconfig', 'worker'].map((name) => `@temporalio/${name}`),
}

describe('the build', () => {
  const dir = useTemporaryDirectory()

  // decision: One file for each program
  it('is one file for each program, which needs few packages beside it, and none of OpenTelemetry, which has its own', async () => {
    for (const [program, packages] of Object.entries(NEEDS)) {
      const code = await read(`${program}.js`)
      expect(packagesOf(code), program).to.deep.equal(packages)
      expect(code, program).to.not.include('node_modules/@opentelemetry/sdk-trace')
    }
    expect(await read('open-telemetry.js')).to.include('node_modules/@opentelemetry/sdk-trace')
  })

  // decision: `listen` is a program of its own
  it('has a listen.js with no package but the one that reads options, which runs without any file beside it', async () => {
    const map = JSON.parse(await read('listen.js.map')) as SourceMap
    const packages = map.sources.flatMap((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])
    expect([...new Set(packages)]).to.deep.equal(['commander'])
    await copyFile(path.join(ROOT, 'dist/listen.js'), path.join(dir.path, 'listen.mjs'))
    const { stdout } = await execa(process.execPath, ['listen.mjs', '--help'], { cwd: dir.path })
    expect(stdout).to.include('Usage: sales-data-listen ').and.include('--forward-to')
  })
})
