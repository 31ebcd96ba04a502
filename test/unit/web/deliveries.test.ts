import { createHmac } from 'node:crypto'
import { expect, use } from 'chai'
import { DELIVERY_STATUSES, isOpen } from '../../../src/domain/delivery/delivery.ts'
import { ATTEMPT_ERRORS } from '../../../src/domain/delivery/outcome.ts'
import * as filters from '../../../web/src/deliveries/filters.ts'
import { stepsOf } from '../../../web/src/deliveries/steps.ts'
import { verifySignature } from '../../../web/src/deliveries/verify-signature.ts'
import { causeOf, causeOfCode } from '../../../web/src/common/format/attempt-hints.ts'
import { outcomeOfRetry } from '../../../web/src/deliveries/retry-outcome.ts'
import chaiAsPromised from 'chai-as-promised'
import type { Delivery } from '../../../web/src/common/api/wire.ts'
import { ApiRefusal, ConnectionLost } from '../../../web/src/common/api/refusal.ts'
import * as bulk from '../../../web/src/deliveries/send-many.ts'

describe('why an attempt failed, in plain words', () => {
  it('has a cause and a hint for every code of the service and every class of status, and none for a plain success', () => {
    for (const error of ATTEMPT_ERRORS) {
      const isOfBody = error.startsWith('body_')
      const cause = causeOf({ response_code: isOfBody ? 500 : null, error })
      expect(cause?.cause, error).to.not.include(error)
      expect(cause?.hint, error).to.match(/\.$/)
    }
    for (const status of [300, 400, 401, 403, 404, 405, 410, 413, 429, 500, 599])
      expect(causeOf({ response_code: status, error: null })?.cause).to.include(String(status))
    expect(causeOf({ response_code: 204, error: null })).to.equal(undefined)
    expect(causeOf({ response_code: 200, error: 'body_cut' })?.hint).to.include('content-length')
  })

  it('says where a redirect leads, and reads the codes of health', () => {
    const redirect = causeOf({ response_code: 301, error: null, location: 'https://new.example.com/' })
    expect(redirect?.cause).to.include('https://new.example.com/')
    expect(causeOfCode('http_503')?.cause).to.include('503')
    expect(causeOfCode('dns_error')?.cause).to.include('does not resolve to a public address')
  })
})

describe('the check of a signature in the browser', () => {
  const key = Buffer.from('a secret of twenty-four.')
  const secret = `whsec_${key.toString('base64')}`
  const sent = { eventId: 'evt_1', timestamp: '1768469401', body: '{"id":"evt_1","name":"Zoë"}' }
  const mac = createHmac('sha256', key).update(Object.values(sent).join('.')).digest('base64')

  it('accepts ours, also among others, and refuses another payload, another secret, and what is no signature', async () => {
    const ours = { ...sent, secret, signatures: `v1,AAAA v1,${mac}` }
    expect((await verifySignature(ours)).isOurs).to.equal(true)
    const another = { secret: `whsec_${Buffer.from('another').toString('base64')}` }
    const wrong = [{ body: '{}' }, another, { signatures: mac }, { secret: 'secret' }, { timestamp: 'today' }]
    for (const changed of wrong)
      expect((await verifySignature({ ...ours, ...changed })).isOurs).to.equal(false)
  })
})

describe('the filters of deliveries', () => {
  const filtersOf = (text: string) => {
    const params = new URLSearchParams(text)
    return filters.readFilters((name) => params.get(name) ?? '')
  }

  it('have a choice for the deliveries that the figure of waiting ones counts, which are open, and for all that have not arrived', () => {
    const open = DELIVERY_STATUSES.filter((status) => isOpen({ status }))
    expect(filters.WAITING.split(',')).to.deep.equal(open)
    expect([...filters.NOT_ARRIVED.split(','), 'success']).to.have.members(DELIVERY_STATUSES)
    expect(filters.STATUSES.map(({ value }) => value)).to.include.members([
      filters.WAITING,
      filters.NOT_ARRIVED,
    ])
  })

  it('come from the address, and a span becomes a moment', () => {
    const failed = filtersOf('status=retrying,failed&within=24h')
    expect(filters.isFiltered(failed)).to.equal(true)
    const rest = { event_type: '', response: '', payload: 'false' }
    const query = { ...rest, status: 'retrying,failed', created_after: '2026-01-14T12:00:00.000Z' }
    expect(filters.toQuery(failed, new Date('2026-01-15T12:00:00.000Z'))).to.deep.equal(query)
    expect(filters.isFiltered(filtersOf('tail=on'))).to.equal(false)
  })

  it('search by text, or by the record whose id is typed, and wait for three characters', () => {
    const record = 'con_019a0b1c-2d3e-7000-8000-000000000000'
    for (const [q, query] of [
      [' ada@example.com ', { q: 'ada@example.com' }],
      [record, { record }],
      [`${record}0`, { q: `${record}0` }],
      ['ad', {}],
    ] as const) {
      const whole = filters.toQuery({ ...filtersOf(''), q }, new Date())
      const { status, event_type, response, payload, ...asked } = whole
      expect(asked, q).to.deep.equal(query)
    }
  })

  it('are kept as the query of the address, and come back with the tab that is open', () => {
    const params = new URLSearchParams('tab=deliveries&tail=on&q=a%26b&status=failed')
    const query = filters.savedQuery((name) => params.get(name) ?? '')
    expect(query).to.equal('q=a%26b&status=failed')
    const chosen = { q: 'a&b', status: 'failed' }
    expect(filters.chosenFilters(query, 'deliveries')).to.deep.equal({ tab: 'deliveries', ...chosen })
    expect(filters.chosenFilters(query, '')).to.deep.equal(chosen)
  })
})

describe('the steps of an attempt', () => {
  it('are those that happened, and the rest of the time', () => {
    const times = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: 30, duration_ms: 50 }
    expect(stepsOf(times).map(({ name, ms }) => `${name} ${ms}`)).to.deep.equal(['first byte 30', 'rest 20'])
    expect(stepsOf({ ...times, first_byte_ms: null })).to.deep.equal([])
  })
})

const delivery = (attempts: number, status: Delivery['status']) => ({ attempts, status, max_attempts: 12 })

describe('what came of a retry', () => {
  it('is that it is queued, until there is another attempt: that it arrived, or that it failed, and whether another is to come', () => {
    const shown = 'Queued. What comes of it is shown here.'
    const queued = { color: 'blue', title: 'Attempt 7 is queued', text: shown }
    expect(outcomeOfRetry(delivery(6, 'retrying'), 6, 'Queued.')).to.deep.equal(queued)
    const arrived = { color: 'green', text: 'At attempt 7.' }
    expect(outcomeOfRetry(delivery(7, 'success'), 6, '')).to.include(arrived)
    const text = 'The next attempt follows by the schedule; attempt 12 is the last.'
    const failed = { color: 'red', title: 'Attempt 7 failed', text }
    expect(outcomeOfRetry(delivery(7, 'retrying'), 6, '')).to.deep.equal(failed)
    expect(outcomeOfRetry(delivery(7, 'failed'), 6, '').text).to.equal('No other is planned.')
  })
})

use(chaiAsPromised)

const targets = (count: number): bulk.SendTarget[] =>
  Array.from({ length: count }, (_, n) => ({ id: `del_${n}`, webhook_id: 'whk_1', event_id: `evt_${n}` }))

const refusal = (status: number, retryAfterSeconds: number | null = null) =>
  new ApiRefusal({ status, code: 'X', message: 'no', requestId: null, retryAfterSeconds })

/** Runs against an api that answers with these errors in turn, and then accepts everything. */
function runAgainst(errors: (Error | undefined)[], signal = new AbortController().signal) {
  const asked: string[] = []
  const waits: number[] = []
  const seen: number[] = []
  const run = {
    signal,
    ask({ id }: bulk.SendTarget) {
      asked.push(id)
      const error = errors.shift()
      return error ? Promise.reject(error) : Promise.resolve({ newId: `new_${id}` })
    },
    wait: (ms: number) => Promise.resolve(void waits.push(ms)),
    onProgress: (outcomes: readonly bulk.SendOutcome[]) => seen.push(outcomes.length),
  }
  return { run, asked, waits, seen }
}

const shown = (outcomes: readonly bulk.SendOutcome[]) =>
  outcomes.map((outcome) => (outcome.kind === 'queued' ? outcome.newId : outcome.message))

describe('many deliveries that are sent again', () => {
  // decision: Many retries at once
  it('wait as long as the api asks for, and then ask for the same one again', async () => {
    const { run, asked, waits } = runAgainst([refusal(429, 7)])
    expect(shown(await bulk.sendMany(targets(2), run))).to.deep.equal(['new_del_0', 'new_del_1'])
    expect(asked).to.deep.equal(['del_0', 'del_0', 'del_1'])
    expect(waits).to.deep.equal([7_000])
  })

  it('end with a lost connection, with a session that ended, and when the dialog closes', async () => {
    for (const error of [new ConnectionLost(undefined), refusal(401)]) {
      const { run, asked } = runAgainst([undefined, error])
      await expect(bulk.sendMany(targets(3), run)).to.be.rejectedWith(error.message)
      expect(asked).to.have.length(2)
    }
    for (const [errors, during, sent] of [
      [[], 'onProgress', ['new_del_0']],
      [[refusal(429, 7)], 'wait', []],
    ] as const) {
      const abort = new AbortController()
      const { run, asked } = runAgainst([...errors], abort.signal)
      const closing = { ...run, [during]: () => abort.abort() }
      expect(shown(await bulk.sendMany(targets(3), closing))).to.deep.equal(sent)
      expect(asked).to.deep.equal(['del_0'])
    }
  })

  it('are retried until they arrive, and resent once they have ended, but for test events', () => {
    const statuses = ['pending', 'retrying', 'failed', 'success'] as const
    for (const is_test of [false, true]) {
      const those = (isPossible: (delivery: Delivery) => boolean) =>
        statuses.filter((status) => isPossible({ status, is_test } as Delivery))
      expect(those(bulk.IS_POSSIBLE.retry)).to.deep.equal(['pending', 'retrying', 'failed'])
      expect(those(bulk.IS_POSSIBLE.resend)).to.deep.equal(is_test ? [] : ['failed', 'success'])
    }
  })
})
