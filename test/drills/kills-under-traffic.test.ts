// Only in .ci/run: a minute of traffic under kills, and what comes before and after it.
import { execFile } from 'node:child_process'
import { expect } from 'chai'
import { ROOT } from '../../scripts/lib/paths.mjs'

/** Start, a minute of traffic and settling take about 80 s; a loss is only certain after the longest settling. */
const LONGEST_MS = 300_000

type Ended = { readonly isGood: boolean; readonly output: string }

/** Runs the soak; gives all that it printed. */
const soak = (...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const options = { cwd: ROOT, timeout: LONGEST_MS }
    execFile(process.execPath, ['soak/main.ts', ...args], options, (error, stdout, stderr) => {
      resolve({ isGood: error === null, output: `${stdout}${stderr}` })
    })
  })

/** It takes longer than the other drills, and begins before them: a run takes files in the order of their names. */
describe('npm run soak', function () {
  this.timeout(LONGEST_MS)

  it('loses nothing while worker, api, database and Temporal are killed under traffic', async () => {
    const { isGood, output } = await soak('--minutes', '1', '--seed', '20261', '--rate', '1.5')
    expect(isGood && output.includes('lost 0, disagreements 0'), output).to.equal(true)
    for (const part of ['worker', 'api', 'database', 'temporal'])
      expect(output, output).to.include(`killed ${part}`)
  })

  it('refuses a lane that the service does not know, in the words of the setting', async () => {
    const { isGood, output } = await soak('--lane', 'none')
    expect(isGood).to.equal(false)
    expect(output).to.include('"--lane" must be')
  })
})
