import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { createLargeContacts } from '../../scripts/bench/hostile/large-lists.mjs'
import { readMetric } from '../support/metrics.ts'
import { useStack } from '../support/use-stack.ts'

const ROUNDS = 5
/** How often a process measures how late its timers run. */
const RESOLUTION_MS = 20

describe('a list of 100 records of 110 KB', function () {
  this.timeout(60_000)
  const use = useStack({ workers: 0, processes: true })

  // decision: Large values of a list are read in slices
  it('never holds others up for as long as reading and writing its JSON takes', async () => {
    const { api } = use.stack
    const { key } = use.tenant
    await createLargeContacts({ baseUrl: api.url, key })
    /** Reading the metric begins it anew. */
    const longestBlockMs = async () => 1000 * (await readMetric(api, 'nodejs_eventloop_lag_max_seconds'))
    const blockedMs: number[] = []
    const jsonMs: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await longestBlockMs()
      // The first measurement after a reading only says from when on the next one counts.
      await delay(2 * RESOLUTION_MS)
      const headers = { authorization: `Bearer ${key}` }
      const response = await fetch(`${api.url}/api-v1-contacts?limit=100`, { headers })
      const text = await response.text()
      blockedMs.push(await longestBlockMs())
      expect(Number(response.headers.get('content-length'))).to.equal(Buffer.byteLength(text))
      const startedMs = performance.now()
      const page = JSON.parse(text) as { data: unknown[] }
      expect(JSON.stringify(page).length).to.equal(text.length)
      jsonMs.push(performance.now() - startedMs)
      expect(page.data).to.have.length(100)
    }
    // The best of each: whatever else the machine does makes single rounds longer.
    expect(Math.min(...blockedMs)).to.be.below(Math.min(...jsonMs) / 2)
  })
})
