import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import js from '@eslint/js'
import { expect } from 'chai'
import ts from 'typescript'
import tseslint from 'typescript-eslint'
import { run } from '../../scripts/lib/commands.mjs'
import { packageBin, ROOT } from '../../scripts/lib/paths.mjs'
import { useTemporaryDirectory } from './support.ts'

const OXLINT_CONFIG = path.join(ROOT, '.oxlintrc.json')

/** What the sets turn on and we leave out: three that Oxlint does not know, and a question of taste. */
const LEFT_OUT = [
  ...['no-octal', 'no-unsafe-class-instance-assignment', 'no-unsafe-enum-assignment'],
  'consistent-type-definitions',
]

/** The rules that the recommended and strict sets turn on for TypeScript, without the names of their plugins. */
function rulesOfTheSets(): string[] {
  const { strictTypeChecked, stylisticTypeChecked } = tseslint.configs
  const settings = Object.assign(
    {},
    ...[js.configs.recommended, ...strictTypeChecked, ...stylisticTypeChecked].map(({ rules }) => rules),
  ) as Record<string, unknown>
  const isOn = (name: string) => [settings[name]].flat()[0] !== 'off'
  return [...new Set(Object.keys(settings).filter(isOn).map(withoutPlugin))].sort()
}

const withoutPlugin = (name: string): string => name.replace(/^.*\//, '')

describe('the lint', () => {
  const dir = useTemporaryDirectory()

  // decision: Two linters
  it('has the rules of the recommended and strict sets of ESLint and typescript-eslint', async () => {
    const { config } = ts.parseConfigFileTextToJson(OXLINT_CONFIG, await readFile(OXLINT_CONFIG, 'utf8')) as {
      config: { rules: Record<string, unknown> }
    }
    const known = [...Object.keys(config.rules).map(withoutPlugin), ...LEFT_OUT]
    expect(rulesOfTheSets().filter((rule) => !known.includes(rule))).to.deep.equal([])
  })

  it('refuses a promise that nobody waits for, which only types show', async function () {
    this.timeout(30_000)
    await writeFile(path.join(dir.path, 'tsconfig.json'), '{ "compilerOptions": { "strict": true } }')
    const late = 'const later = async () => Promise.resolve(1)\nlater()\nexport {}\n'
    await writeFile(path.join(dir.path, 'late.ts'), late)
    const args = ['--config', OXLINT_CONFIG, dir.path]
    const { code, output } = await run(packageBin('oxlint'), args, { cwd: ROOT })
    expect(output).to.include('no-floating-promises')
    expect(code).to.equal(1)
  })
})
