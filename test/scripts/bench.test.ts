// Only in .ci/run: the benchmark measures for about a minute.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { execa } from 'execa'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { useTemporaryDirectory } from './support.ts'

type Figure = { what: string; lost?: number; duplicates?: number }
type Results = Record<string, { figures: Figure[] }>

/** Most of this time is a reserve for a busy machine. */
const LONGEST_MS = 300_000

const OPTIONS = { cwd: ROOT, timeout: LONGEST_MS, reject: false } as const
const bench = (...args: string[]) => execa(process.execPath, ['bench/main.ts', '--quick', ...args], OPTIONS)

/** The figures in the file that a run wrote. No run may lose an event or deliver it twice. */
async function figuresIn(file: string): Promise<Results> {
  const results = JSON.parse(await readFile(file, 'utf8')) as Results
  const figures = Object.values(results).flatMap((result) => result.figures)
  const counted = figures.filter(({ lost }) => lost !== undefined)
  expect(counted).not.to.deep.equal([])
  expect(counted.filter(({ lost, duplicates = 0 }) => lost !== 0 || duplicates !== 0)).to.deep.equal([])
  return results
}

describe('npm run bench -- --quick', function () {
  this.timeout(LONGEST_MS)
  const dir = useTemporaryDirectory()
  const file = () => path.join(dir.path, 'bench.json')

  it('accepts and delivers without loss or duplicate, at ratios that hold on any machine', async () => {
    const { exitCode, stderr } = await bench('--json', file())
    expect([exitCode, stderr]).to.deep.equal([0, ''])
    expect(await figuresIn(file())).to.include.keys('accept', 'deliver', 'floors')
  })
})
