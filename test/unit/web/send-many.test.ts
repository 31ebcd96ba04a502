import { expect, use } from 'chai'
import chaiAsPromised from 'chai-as-promised'
import type { Delivery } from '../../../web/src/common/api/deliveries.ts'
import { ApiRefusal, ConnectionLost } from '../../../web/src/common/api/refusal.ts'
import {
  IS_POSSIBLE,
  sendMany,
  type SendOutcome,
  type SendTarget,
} from '../../../web/src/deliveries/send-many.ts'

use(chaiAsPromised)

const targets = (count: number): SendTarget[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `del_${index}`,
    webhook_id: 'whk_1',
    event_id: `evt_${index}`,
  }))

const refusal = (status: number, retryAfterSeconds: number | null = null) =>
  new ApiRefusal({ status, code: 'X', message: 'no', requestId: null, retryAfterSeconds })

/** A run against an api that answers with these errors, one after the other, and then accepts everything. */
function runAgainst(errors: (Error | undefined)[], signal = new AbortController().signal) {
  const asked: string[] = []
  const waits: number[] = []
  const seen: number[] = []
  const run = {
    ask: ({ id }: SendTarget) => {
      asked.push(id)
      const error = errors.shift()
      return error ? Promise.reject(error) : Promise.resolve(`new_${id}`)
    },
    wait: (ms: number) => {
      waits.push(ms)
      return Promise.resolve()
    },
    onProgress: (outcomes: readonly SendOutcome[]) => seen.push(outcomes.length),
    signal,
  }
  return { run, asked, waits, seen }
}

const shown = (outcomes: readonly SendOutcome[]) =>
  outcomes.map((outcome) => (outcome.kind === 'queued' ? outcome.newId : outcome.message))

describe('many deliveries that are sent again', () => {
  it('go on behind a refusal, and each has its own outcome', async () => {
    const { run, asked, seen } = runAgainst([undefined, refusal(400), undefined])
    expect(shown(await sendMany(targets(3), run))).to.deep.equal(['new_del_0', 'no', 'new_del_2'])
    expect(asked).to.deep.equal(['del_0', 'del_1', 'del_2'])
    expect(seen).to.deep.equal([1, 2, 3])
  })

  // decision: Many retries at once
  it('wait as long as the api asks for, and then ask for the same one again', async () => {
    const { run, asked, waits } = runAgainst([refusal(429, 7)])
    expect(shown(await sendMany(targets(2), run))).to.deep.equal(['new_del_0', 'new_del_1'])
    expect(asked).to.deep.equal(['del_0', 'del_0', 'del_1'])
    expect(waits).to.deep.equal([7_000])
  })

  it('end with a lost connection, with a session that ended, and when the dialog closes', async () => {
    for (const error of [new ConnectionLost(undefined), refusal(401)]) {
      const { run, asked } = runAgainst([undefined, error])
      await expect(sendMany(targets(3), run)).to.be.rejectedWith(error.message)
      expect(asked).to.have.length(2)
    }
    const abort = new AbortController()
    const { run, asked } = runAgainst([], abort.signal)
    const stopped = { ...run, onProgress: () => abort.abort() }
    expect(shown(await sendMany(targets(3), stopped))).to.deep.equal(['new_del_0'])
    expect(asked).to.deep.equal(['del_0'])
  })

  it('are retried until they arrive, and resent once they have ended, but for test events', () => {
    const possible = (status: Delivery['status'], event_type = 'contact.created') => {
      const delivery = { status, event_type } as Delivery
      return [IS_POSSIBLE.retry(delivery), IS_POSSIBLE.resend(delivery)]
    }
    expect(possible('pending')).to.deep.equal([true, false])
    expect(possible('retrying')).to.deep.equal([true, false])
    expect(possible('failed')).to.deep.equal([true, true])
    expect(possible('success')).to.deep.equal([false, true])
    expect(possible('failed', 'test.webhook')).to.deep.equal([true, false])
    expect(possible('success', 'test.webhook')).to.deep.equal([false, false])
  })
})
