import { mock } from 'node:test'
import { expect } from 'chai'
import { UsageRecorder } from '../../../../src/api/auth/usage-recorder.ts'
import type { KeyUsage } from '../../../../src/domain/key/usage.ts'
import type { SystemDeps } from '../../../../src/deps/deps.ts'
import { createLog } from '../../../../src/deps/log.ts'
import { untilSo } from '../../../support/poll.ts'
import { createAllowlistMatchers } from '../../../../src/api/auth/allowlist-matchers.ts'

const AT = new Date('2026-03-02T12:00:00.000Z')
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

  const written = (keyId: string) =>
    writes.flatMap((usages) => usages.filter((usage) => usage.keyId === keyId))
  const sum = (usages: readonly KeyUsage[]) =>
    usages
      .flatMap(({ requestsByDay }) => [...requestsByDay.values()])
      .reduce((total, count) => total + count, 0)

  it('makes one write of many requests, within a second of the first', () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    for (let request = 0; request < 10_000; request++) recorder.record('key_1', '192.0.2.1', AT)
    recorder.record('key_2', '192.0.2.2', AT)
    mock.timers.tick(1_000)
    mock.timers.reset()
    expect(writes).to.have.length(1)
    expect(written('key_1')).to.have.length(1)
    expect(sum(written('key_1'))).to.equal(10_000)
    expect(sum(written('key_2'))).to.equal(1)
  })

  it('keeps days apart, and the latest request whatever the order they came in', async () => {
    recorder.record('key_1', '192.0.2.3', NEXT_DAY)
    recorder.record('key_1', '192.0.2.1', AT)
    recorder.record('key_1', '192.0.2.2', AT)
    await recorder.stop()
    const [usage] = written('key_1')
    expect(usage?.latest).to.deep.equal({ at: NEXT_DAY, address: '192.0.2.3' })
    expect(Object.fromEntries(usage?.requestsByDay ?? [])).to.deep.equal({ '2026-03-02': 2, '2026-03-03': 1 })
  })

  it('keeps the counts of a write that failed and adds what came meanwhile', async () => {
    let failures = 0
    fail = () => {
      failures++
      recorder.record('key_1', '192.0.2.2', NEXT_DAY)
      fail = () => Promise.resolve()
      return Promise.reject(new Error('the database is away'))
    }
    for (let request = 0; request < 5; request++) recorder.record('key_1', '192.0.2.1', AT)
    await untilSo(() => writes.length === 2)
    expect(failures).to.equal(1)
    expect(sum(writes[1]!)).to.equal(6)
    expect(writes[1]![0]?.latest).to.deep.equal({ at: NEXT_DAY, address: '192.0.2.2' })
  })

  it('writes one batch at a time, however long a write takes, and what is left when it stops', async () => {
    let release: () => void = () => undefined
    fail = () => new Promise((resolve) => (release = resolve))
    recorder.record('key_1', '192.0.2.1', AT)
    await untilSo(() => writes.length === 1)
    recorder.record('key_1', '192.0.2.1', AT)
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
    expect(matcherOf(['10.0.0.0/8'])('192.0.2.1')).to.equal(false)
    expect(matcherOf(['192.0.2.1'])('192.0.2.1')).to.equal(true)
    expect(matcherOf([])('192.0.2.1')).to.equal(true)
    expect(matcherOf(['10.0.0.0/8', '192.0.2.1'])('192.0.2.1')).to.equal(true)
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
