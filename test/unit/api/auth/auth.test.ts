import { mock } from 'node:test'
import { expect } from 'chai'
import { UsageRecorder } from '../../../../src/api/auth/usage-recorder.ts'
import { DAY_MS } from '../../../../src/domain/instants.ts'
import { summariseRecentUse, type KeyUsage } from '../../../../src/domain/key/usage.ts'
import type { SystemDeps } from '../../../../src/deps/deps.ts'
import { createLog } from '../../../../src/deps/log.ts'
import { untilSo } from '../../../support/poll.ts'
import { createAllowlistMatchers } from '../../../../src/domain/key/allowlist.ts'

const AT = new Date('2026-03-02T12:00:00.000Z')
const NO_USE = { lastHour: 0, endpoints: [], addresses: [] }
const NEXT_DAY = new Date('2026-03-03T00:00:00.000Z')

describe('the usage recorder', () => {
  let writes: (readonly KeyUsage[])[]
  let fail: () => Promise<void>
  let recorder: UsageRecorder
  beforeEach(() => {
    writes = []
    fail = () => Promise.resolve()
    const deps = { log: createLog('test', 'silent') } as Pick<SystemDeps, 'db' | 'log'>
    recorder = new UsageRecorder(deps, async (usages) => {
      writes.push(usages)
      await fail()
    })
  })
  afterEach(() => recorder.stop())

  const use = (keyId: string, address: string, at: Date) => ({ keyId, address, at })
  const written = (keyId: string) =>
    writes.flatMap((usages) => usages.filter((usage) => usage.keyId === keyId))
  const sum = (usages: readonly KeyUsage[]) =>
    usages.flatMap(({ days }) => [...days.values()]).reduce((total, { requests }) => total + requests, 0)

  it('makes one write of many requests, within a second of the first', () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    for (let request = 0; request < 10_000; request++) recorder.record(use('key_1', '192.0.2.1', AT))
    recorder.record(use('key_2', '192.0.2.2', AT))
    mock.timers.tick(1_000)
    mock.timers.reset()
    expect([writes, written('key_1')].map(({ length }) => length)).to.deep.equal([1, 1])
    expect(['key_1', 'key_2'].map((id) => sum(written(id)))).to.deep.equal([10_000, 1])
  })

  it('counts a response by its class on the day of its request, and no request twice', async () => {
    const asked = use('key_1', '192.0.2.1', AT)
    for (const status of [200, 204, 304, 400, 404, 429, 500, 503]) {
      recorder.record(asked)
      recorder.recordResponse(asked, status, status === 404 ? undefined : 'GET /api-v1-webhooks/:id')
    }
    await recorder.stop()
    const [usage] = written('key_1')
    const counts = { requests: 8, responses2xx: 3, responses4xx: 3, responses5xx: 2 }
    expect([...(usage?.days ?? [])]).to.deep.equal([['2026-03-02', counts]])
    expect(summariseRecentUse(usage?.recent, AT)).to.deep.equal({
      lastHour: 8,
      endpoints: [{ method: 'GET', path: '/api-v1-webhooks/:id', lastUsedAt: AT }],
      addresses: [{ address: '192.0.2.1', lastUsedAt: AT }],
    })
    expect(summariseRecentUse(usage?.recent, new Date(AT.getTime() - 60_000)).lastHour, 'not yet').to.equal(0)
    expect(summariseRecentUse(undefined, AT)).to.deep.equal(NO_USE)
  })

  // decision: What a key is used for
  it('keeps 20 addresses and 60 minutes of a key that is called from 10,000 addresses while nothing can be written', async () => {
    fail = () => Promise.reject(new Error('the database is away'))
    const firstMs = AT.getTime()
    for (let number = 0; number < 10_000; number++) {
      const address = `2001:db8::${number.toString(16)}`
      recorder.record(use('key_1', address, new Date(firstMs + number * 1_000)))
      if (number === 5_000) await untilSo(() => writes.length > 0)
    }
    fail = () => Promise.resolve()
    await recorder.stop()
    const last = writes.at(-1)![0]!
    const latest = Array.from({ length: 20 }, (_, index) => `2001:db8::${(9_980 + index).toString(16)}`)
    expect([...last.recent.addresses.keys()]).to.have.members(latest)
    expect(last.recent.minutes.size).to.equal(60)
    expect(sum([last])).to.equal(10_000)
    const now = new Date(firstMs + 9_999_000)
    const summary = summariseRecentUse(last.recent, now)
    expect(summary.addresses.map(({ address }) => address)).to.deep.equal(latest.toReversed())
    expect(summary.lastHour, '59 whole minutes and the running one').to.equal(59 * 60 + 40)
    expect(summariseRecentUse(last.recent, new Date(now.getTime() + 62 * DAY_MS))).to.deep.equal(NO_USE)
  })

  it('keeps days apart, and the latest request whatever the order they came in', async () => {
    recorder.record(use('key_1', '192.0.2.3', NEXT_DAY))
    for (const address of ['192.0.2.1', '192.0.2.2']) recorder.record(use('key_1', address, AT))
    await recorder.stop()
    const [usage] = written('key_1')
    expect(usage?.latest).to.deep.equal({ at: NEXT_DAY, address: '192.0.2.3' })
    const requests = [...(usage?.days ?? [])].map(([day, counts]) => [day, counts.requests])
    expect(Object.fromEntries(requests)).to.deep.equal({ '2026-03-02': 2, '2026-03-03': 1 })
  })

  it('keeps the counts of a write that failed and adds what came meanwhile', async () => {
    fail = () => {
      recorder.record(use('key_1', '192.0.2.2', NEXT_DAY))
      fail = () => Promise.resolve()
      return Promise.reject(new Error('the database is away'))
    }
    for (let request = 0; request < 5; request++) recorder.record(use('key_1', '192.0.2.1', AT))
    await untilSo(() => writes.length === 2)
    expect(sum(writes[1]!)).to.equal(6)
    expect(writes[1]![0]?.latest).to.deep.equal({ at: NEXT_DAY, address: '192.0.2.2' })
  })

  it('writes one batch at a time, however long a write takes, and what is left when it stops', async () => {
    let release: () => void = () => undefined
    fail = () => new Promise((resolve) => (release = resolve))
    recorder.record(use('key_1', '192.0.2.1', AT))
    await untilSo(() => writes.length === 1)
    recorder.record(use('key_1', '192.0.2.1', AT))
    const stopped = recorder.stop()
    fail = () => Promise.resolve()
    expect(writes).to.have.length(1)
    release()
    await stopped
    expect(sum(written('key_1'))).to.equal(2)
    await recorder.stop()
    expect(writes, 'nothing where nothing is left').to.have.length(2)
  })
})

describe('the matchers of allowlists', () => {
  it('gives lists of the same content the same matcher, and no other list', () => {
    const matcherOf = createAllowlistMatchers()
    expect(matcherOf(['10.0.0.0/8'])).to.equal(matcherOf(['10.0.0.0/8']))
    const lists = [['10.0.0.0/8'], ['192.0.2.1'], [], ['10.0.0.0/8', '192.0.2.1']]
    expect(lists.map((list) => matcherOf(list)('192.0.2.1'))).to.deep.equal([false, true, true, true])
  })

  it('forgets the list that was used longest ago, and answers for it none the less', () => {
    const matcherOf = createAllowlistMatchers()
    const [first, kept] = [matcherOf(['10.0.0.1']), matcherOf(['10.0.0.2'])]
    for (let index = 0; index < 999; index++) {
      matcherOf([`10.1.${index >> 8}.${index & 255}`])
      expect(matcherOf(['10.0.0.2'])).to.equal(kept)
    }
    const again = matcherOf(['10.0.0.1'])
    expect(again).to.not.equal(first)
    expect([again('10.0.0.1'), again('10.0.0.2')]).to.deep.equal([true, false])
  })
})
