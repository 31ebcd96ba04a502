import { expect, use } from 'chai'
import chaiAsPromised from 'chai-as-promised'
import { ApiRefusal, ConnectionLost } from '../../web/src/common/api/refusal.js'
import {
  collect,
  retryMany,
  type RetryProgress,
  type RetryTarget,
} from '../../web/src/deliveries/retry-many.js'

use(chaiAsPromised)

const targets = (count: number): RetryTarget[] =>
  Array.from({ length: count }, (_, index) => ({ id: `del_${index}`, webhook_id: 'whk_1' }))

const refusal = (status: number, retryAfterSeconds: number | null = null) =>
  new ApiRefusal({ status, code: 'X', message: 'no', requestId: null, retryAfterSeconds })

/** A run against an api that answers with these errors, one after the other, and then accepts everything. */
function runAgainst(errors: (Error | undefined)[], signal = new AbortController().signal) {
  const asked: string[] = []
  const waits: number[] = []
  const seen: RetryProgress[] = []
  const run = {
    retry: ({ id }: RetryTarget) => {
      asked.push(id)
      const error = errors.shift()
      return error ? Promise.reject(error) : Promise.resolve()
    },
    wait: (ms: number) => {
      waits.push(ms)
      return Promise.resolve()
    },
    onProgress: (progress: RetryProgress) => seen.push(progress),
    signal,
  }
  return { run, asked, waits, seen }
}

describe('the retry of many deliveries', () => {
  it('goes on behind a refusal, and counts it', async () => {
    const { run, asked, seen } = runAgainst([undefined, refusal(400), undefined])
    expect(await retryMany(targets(3), run)).to.deep.equal({ queued: 2, refused: 1 })
    expect(asked).to.deep.equal(['del_0', 'del_1', 'del_2'])
    expect(seen.map(({ queued, refused }) => queued + refused)).to.deep.equal([1, 2, 3])
  })

  // decision: Many retries at once
  it('waits as long as the api asks for, and then asks for the same one again', async () => {
    const { run, asked, waits } = runAgainst([refusal(429, 7)])
    expect(await retryMany(targets(2), run)).to.deep.equal({ queued: 2, refused: 0 })
    expect(asked).to.deep.equal(['del_0', 'del_0', 'del_1'])
    expect(waits).to.deep.equal([7_000])
  })

  it('ends with a lost connection, with a session that ended, and when the dialog closes', async () => {
    for (const error of [new ConnectionLost(undefined), refusal(401)]) {
      const { run, asked } = runAgainst([undefined, error])
      await expect(retryMany(targets(3), run)).to.be.rejectedWith(error.message)
      expect(asked).to.have.length(2)
    }
    const abort = new AbortController()
    const { run, asked } = runAgainst([], abort.signal)
    const stopped = { ...run, onProgress: () => abort.abort() }
    expect(await retryMany(targets(3), stopped)).to.deep.equal({ queued: 1, refused: 0 })
    expect(asked).to.deep.equal(['del_0'])
  })
})

describe('the collection of failed deliveries', () => {
  /** A list of so many records, in parts of two. */
  const listOf = (count: number) => {
    const cursors: string[] = []
    const readPart = (cursor: string) => {
      cursors.push(cursor)
      const from = Number(cursor)
      const isLast = from + 2 >= count
      const pagination = { limit: 2, has_more: !isLast, next_cursor: isLast ? null : String(from + 2) }
      return Promise.resolve({ data: targets(count).slice(from, from + 2), pagination })
    }
    return { readPart, cursors }
  }
  const collected = async (count: number, most: number) => {
    const { readPart, cursors } = listOf(count)
    const { targets: found, hasMore } = await collect(readPart, most)
    return [found.length, hasMore, cursors.length]
  }

  it('reads to the end, and says when there are more than a run takes', async () => {
    expect(await collected(0, 4)).to.deep.equal([0, false, 1])
    expect(await collected(3, 4)).to.deep.equal([3, false, 2])
    expect(await collected(4, 4)).to.deep.equal([4, false, 2])
    expect(await collected(5, 4)).to.deep.equal([4, true, 2])
    expect(await collected(5, 3)).to.deep.equal([3, true, 2])
  })
})
