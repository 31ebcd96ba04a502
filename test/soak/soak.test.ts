import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { ROOT } from '../../scripts/lib/paths.mjs'

/** Start, two minutes of traffic and settling take about 140 s; a loss is only certain after the longest settling. */
const LONGEST_MS = 300_000

const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['scripts/soak/main.mjs', ...args], {
    cwd: ROOT,
    timeout: LONGEST_MS,
  })

describe('npm run soak', function () {
  this.timeout(LONGEST_MS)

  it('loses nothing while worker, api, database and Temporal are killed under traffic', async () => {
    const { stdout } = await run('--minutes', '2', '--seed', '20261')
    expect(stdout).to.include('lost 0, disagreements 0')
    for (const part of ['worker', 'api', 'database', 'temporal']) expect(stdout).to.include(`killed ${part}`)
  })

  it('refuses a lane that the service does not know, in the words of the setting', async () => {
    const failure = await run('--lane', 'none').catch((error: unknown) => error)
    expect(failure).to.have.property('code', 1)
    expect(failure).to.have.property('stderr').that.includes('--lane')
  })
})
