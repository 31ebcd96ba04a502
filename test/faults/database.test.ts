// Also on MySQL with direct attempts: it matters who makes the attempt that a crash cuts.
import { expect } from 'chai'
import * as crashes from '../support/crashes.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { readMetric, linesWith } from '../support/running-parts.ts'
import { until } from '../support/poll.ts'
import { startHeldEndpoint, type HeldEndpoint, useEndpointsOn } from '../support/stack-endpoints.ts'
import { createTcpProxyTo, FAULTS } from '../support/tcp-proxy.ts'
import { createTestTenant, type TestTenant, createTestWebhook, publishMany } from '../support/tenants.ts'
import { usePart, useStack } from '../support/use-stack.ts'

/** While the database is down, the api answers 503 at once. */
const ANSWER_WITHIN_MS = 5_000

describe('the database lost while running', function () {
  this.timeout(120_000)
  const use = useStack({ workers: 0, environment: crashes.QUICK_LEASES, mayLogErrors: true })
  const endpoints = useEndpointsOn(use)
  const proxy = usePart(() => createTcpProxyTo(use.stack.environment['DATABASE_URL']!))
  let eventId: string
  const through = () => ({ DATABASE_URL: proxy().through(use.stack.environment['DATABASE_URL']!) })
  beforeEach(() => void (eventId = crashes.newEventId()))

  describe('under an api', () => {
    const api = usePart(() => use.stack.startApi(through()))

    /** Sends many requests at once. @returns the answers, and how long the last one took */
    async function askMuch(client: TestTenant) {
      const startedMs = performance.now()
      const answers = await Promise.all([
        client.request('POST', '/api-v1-events', { event: 'contact.created', data: {} }),
        client.request('GET', '/api-v1-webhooks'),
        ...Array.from({ length: 30 }, () => client.request('GET', '/api-v1-contacts')),
      ])
      return { answers, lastedMs: performance.now() - startedMs }
    }

    for (const [what, break_] of Object.entries(FAULTS))
      it(`is answered with 503 within 5 s when it ${what}, and the api recovers by itself`, async () => {
        const client = await createTestTenant(use.stack.db, api().url)
        expect((await crashes.publish(client, eventId)).status).to.equal(201)
        const healthy = await askMuch(client)
        await break_(proxy())
        const { answers, lastedMs } = await askMuch(client)
        await proxy().pass()
        for (const { status, body, headers } of answers) {
          expect([status, Object.keys(body as object)]).to.deep.equal([503, ['error']])
          expect(body.error).to.have.all.keys('code', 'message')
          expect(body.error.code).to.equal('SERVICE_UNAVAILABLE')
          expect(headers.get('retry-after')).to.match(/^\d+$/)
        }
        // The machine needs some of this time for that many requests.
        expect(lastedMs - healthy.lastedMs).to.be.below(ANSWER_WITHIN_MS)
        const repeat = await until(
          () => crashes.publish(client, eventId),
          ({ status }) => status !== 503,
        )
        expect(repeat.status).to.equal(200)
      })
  })

  describe('under a worker', () => {
    const worker = usePart(() => use.stack.startWorker(through()))
    let endpoint: HeldEndpoint
    afterEach(() => expectSoundRows(use.stack.db))
    beforeEach(async () => {
      endpoint = await startHeldEndpoint(endpoints)
      await createTestWebhook(use.stack, use.tenant, { url: endpoint.url })
    })
    const unrecordedSoFar = () => linesWith(worker(), 'outcomes could not be recorded').length
    const deferredSoFar = () =>
      readMetric(worker(), 'webhook_attempts_deferred_total', { reason: 'recording' })
    /** The deliveries with timed-out activities, each once per time-out. */
    const outOfTimeSoFar = () =>
      linesWith(worker(), 'an attempt failed by our own fault').map(
        (line) => (JSON.parse(line) as { delivery_id: string }).delivery_id,
      )

    for (const [what, break_] of Object.entries(FAULTS))
      it(`spends no attempt and sends nothing twice when it ${what}`, async () => {
        await crashes.publish(use.tenant, eventId)
        await endpoint.arrived(1)
        const unrecorded = unrecordedSoFar()
        await break_(proxy())
        endpoint.answerAll(200)
        const later = await publishMany(use.tenant, 5)
        await until(unrecordedSoFar, (count) => count > unrecorded, { what: 'an outcome that met the fault' })
        await proxy().pass()
        for (const id of [eventId, ...later])
          expect(await crashes.deliveryWith(use.stack, id, crashes.isSuccess)).to.include({ attempts: 1 })
        expect(endpoint.requests).to.have.length(6)
      })

    it('does not send without end while it reads and takes heartbeats but no attempts', async () => {
      endpoint.answerAll(200)
      await use.stack.db.raw(
        "CREATE TRIGGER refuse BEFORE INSERT ON attempts FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'",
      )
      const [before, deferredBefore] = [outOfTimeSoFar().length, await deferredSoFar()]
      const ids = await publishMany(use.tenant, 5)
      // Without its memory the worker would send again in a second activity of the same delivery. That activity starts
      // at a moment when the worker takes the database for healed, or the gate postpones it. So two gate reads per
      // delivery are enough.
      await until(
        async () => ({ deliveries: outOfTimeSoFar().slice(before), deferred: await deferredSoFar() }),
        ({ deliveries, deferred }) =>
          new Set(deliveries).size < deliveries.length ||
          (deliveries.length > 0 && deferred - deferredBefore >= 2 * ids.length),
        { withinMs: crashes.TAKE_OVER_MS },
      )
      const sent = endpoint.requests.map((request) => /^webhook-id: (\S+)/im.exec(request)?.[1])
      await use.stack.db.raw('DROP TRIGGER refuse')
      expect(sent).to.deep.equal([...new Set(sent)])
      for (const id of ids)
        expect(await crashes.deliveryWith(use.stack, id, crashes.isSuccess)).to.include({ attempts: 1 })
      expect(endpoint.requests).to.have.length(ids.length)
    })
  })
})
