// Only in .ci/run: a minute of traffic under kills, and what comes before and after it.
import { expect } from 'chai'
import { execa } from 'execa'
import { ROOT } from '../../scripts/lib/paths.mjs'

/** Start, a minute of traffic and settling take about 80 s. A loss is certain only after the longest settling. */
const LONGEST_MS = 300_000

/** Its name comes first, because files run in the order of their names and this drill takes longest. */
describe('npm run soak', function () {
  this.timeout(LONGEST_MS)

  it('loses nothing while worker, api, database and Temporal are killed under traffic', async () => {
    const args = ['soak/main.ts', '--minutes', '1', '--seed', '20261', '--rate', '1.5']
    const options = { cwd: ROOT, timeout: LONGEST_MS, all: true, reject: false } as const
    const { exitCode, all } = await execa(process.execPath, args, options)
    expect(exitCode, all).to.equal(0)
    expect(all).to.include('lost 0, disagreements 0')
    for (const part of ['worker', 'api', 'database', 'temporal']) expect(all).to.include(`killed ${part}`)
  })
})
