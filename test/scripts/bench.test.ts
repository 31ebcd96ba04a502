// Only in .ci/run: the benchmark measures for more than a minute.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { useTemporaryDirectory } from './support.ts'

type Figure = { topic: string; what: string; events?: number; lost?: number; duplicates?: number }

/** The run ends itself after 88 s, and then gives its processes time to stop. */
const LONGEST_MS = 120_000

describe('npm run bench -- --quick', function () {
  this.timeout(LONGEST_MS)
  const dir = useTemporaryDirectory()

  it('accepts and delivers without loss or duplicate, at ratios that hold on any machine', async () => {
    const file = path.join(dir.path, 'bench.json')
    const args = ['bench/main.ts', '--quick', '--json', file]
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: LONGEST_MS })
    const results = JSON.parse(await readFile(file, 'utf8')) as Record<string, { figures: Figure[] }>
    const figures = Object.values(results).flatMap((result) => result.figures)
    const counted = figures.filter(({ lost }) => lost !== undefined)
    expect(counted.map(({ topic }) => topic)).to.include.members(['accept', 'deliver'])
    expect(counted.filter(({ lost, duplicates = 0 }) => lost !== 0 || duplicates !== 0)).to.deep.equal([])
  })
})
