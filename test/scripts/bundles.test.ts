import { copyFile, readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import path from 'node:path'
import { expect } from 'chai'
import { execa } from 'execa'
import { useTemporaryDirectory } from '../support/temporary-directory.ts'

type SourceMap = { sources: string[]; mappings: string; sourcesContent?: string[] }

const fileOf = (name: string) => new URL(`../../dist/${name}`, import.meta.url)

/** The packages that a module imports by statement. */
const packagesOf = (code: string): string[] => {
  const names = [...code.matchAll(/^(?:import|\}) .*?["']([^"'\n]+)["'];$/gm)].map(([, name = '']) => name)
  return [...new Set(names.filter((name) => !isBuiltin(name)))].sort()
}

/** Each program and the packages it needs beside its file. */
const NEEDS = {
  server: ['@node-rs/argon2'],
  cli: ['@node-rs/argon2'],
  listen: [],
  worker: ['activity', 'client', 'common', 'envconfig', 'worker'].map((name) => `@temporalio/${name}`),
}

describe('the bundles of the programs', () => {
  const dir = useTemporaryDirectory()

  for (const [program, packages] of Object.entries(NEEDS)) {
    // decision: One file for each program
    it(`hold all that ${program} imports but ${packages.join(', ') || 'nothing'}`, async () => {
      expect(packagesOf(await readFile(fileOf(`${program}.js`), 'utf8'))).to.deep.equal(packages)
    })

    it(`have a map beside ${program}.js that names the sources, and holds none`, async () => {
      const map = JSON.parse(await readFile(fileOf(`${program}.js.map`), 'utf8')) as SourceMap
      expect(map.sources).to.include.members([`../src/${program}.ts`, '../src/domain/errors.ts'])
      expect(map).to.not.have.property('sourcesContent')
    })
  }

  it('hold nothing of the SDK of OpenTelemetry, which has a file of its own', async () => {
    const files = [...Object.keys(NEEDS), 'open-telemetry']
    const codes = await Promise.all(files.map((name) => readFile(fileOf(`${name}.js`), 'utf8')))
    const holders = files.filter((_, index) =>
      codes[index]!.includes('node_modules/@opentelemetry/sdk-trace'),
    )
    expect(holders).to.deep.equal(['open-telemetry'])
  })

  // decision: `listen` is a program of its own
  it('hold in listen.js no package but the one that reads options, and it runs without any file beside it', async () => {
    const { sources } = JSON.parse(await readFile(fileOf('listen.js.map'), 'utf8')) as SourceMap
    const packages = sources.map((file) => /node_modules\/([^/]+)/.exec(file)?.[1]).filter(Boolean)
    expect([...new Set(packages)]).to.deep.equal(['commander'])
    await copyFile(fileOf('listen.js'), path.join(dir.path, 'listen.mjs'))
    const { stdout } = await execa(process.execPath, ['listen.mjs', '--help'], { cwd: dir.path })
    expect(stdout).to.include('Usage: sales-data-listen ').and.include('--forward-to')
  })
})

describe('the bundle of the workflows', () => {
  it('names the file and line of its code, and holds no sources', async () => {
    const code = await readFile(fileOf('workflow-bundle.js'), 'utf8')
    const [, encoded = ''] = /;base64,(\S+)\s*$/.exec(code) ?? []
    const map = JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMap
    expect(map.sources.filter((file) => file.endsWith('src/workflows/deliver-webhook.ts'))).to.have.length(1)
    expect(map.mappings).to.not.equal('')
    expect(map).to.not.have.property('sourcesContent')
  })
})
