import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import ts from 'typescript'
import { run } from '../../scripts/lib/commands.ts'
import { packageBin, ROOT } from '../../scripts/lib/paths.mjs'
import { words } from './words.ts'

/** A file of the checkout, by its path, and what stands in it. */
export type Sample = readonly [file: string, text: string]

type Config = { jsPlugins: string[]; overrides: { files: string[]; excludeFiles?: string[] }[] }
type Diagnostic = { code?: string; message: string; filename: string }

const FENCES = words(
  'house(fence) house(system-db) node(no-process-env) house(texts) house(forms) eslint(no-restricted-imports)',
)

/** Which of the samples the fences refuse. Each lies in a directory of its own, so that they may have one path. */
export async function refusedOf(samples: readonly Sample[]): Promise<Sample[]> {
  const dir = await mkdtemp(path.join(tmpdir(), 'lint-'))
  try {
    const config = path.join(dir, 'oxlint.json')
    await writeFile(config, await configOfSamples())
    for (const [index, [file, text]] of samples.entries()) {
      const target = path.join(dir, String(index), file)
      await mkdir(path.dirname(target), { recursive: true })
      await writeFile(target, `${text}\n`)
    }
    const { output } = await run(packageBin('oxlint'), ['--format', 'json', '--config', config], { cwd: dir })
    const { diagnostics } = JSON.parse(output) as { diagnostics: Diagnostic[] }
    const unread = diagnostics.find(({ code }) => code === undefined)
    if (unread) throw new Error(`${unread.filename}: ${unread.message}`)
    const refused = diagnostics.filter(({ code }) => FENCES.includes(code ?? ''))
    const indexes = new Set(refused.map(({ filename }) => Number(filename.split('/')[0])))
    return samples.filter((_, index) => indexes.has(index))
  } finally {
    await rm(dir, { recursive: true })
  }
}

/** Our configuration for files one directory down, without the rules that read types. */
async function configOfSamples(): Promise<string> {
  const file = path.join(ROOT, '.oxlintrc.json')
  const { config } = ts.parseConfigFileTextToJson(file, await readFile(file, 'utf8')) as { config: Config }
  const below = (globs: string[] | undefined) => globs?.map((glob) => `*/${glob}`)
  return JSON.stringify({
    ...config,
    options: { typeAware: false },
    jsPlugins: config.jsPlugins.map((plugin) => path.join(ROOT, plugin)),
    overrides: config.overrides.map((one) => ({
      ...one,
      files: below(one.files),
      ...(one.excludeFiles && { excludeFiles: below(one.excludeFiles) }),
    })),
  })
}
