// Also on MySQL with direct attempts: it matters who makes the attempt that a crash cuts.
import { expect } from 'chai'
import { deliveryWith, newEventId, publish, QUICK_LEASES, TAKE_OVER_MS } from '../support/crashes.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { until } from '../support/poll.ts'
import type { RunningPart } from '../support/outputs.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { createTcpProxyTo, type TcpProxy } from '../support/tcp-proxy.ts'
import { createTestTenant, type TestTenant } from '../support/tenants.ts'
import { createTestWebhook, type TestWebhook } from '../support/webhooks.ts'

/** A database that is away answers as 503 and not as silence. */
const ANSWER_WITHIN_MS = 5_000

const FAULTS: [string, (proxy: TcpProxy) => Promise<void> | void][] = [
  ['refuses connections', (proxy) => proxy.refuse()],
  ['hangs', (proxy) => proxy.stall()],
  ['takes queries and never answers', (proxy) => proxy.stall('toClient')],
]

describe('the database lost while running', function () {
  this.timeout(120_000)
  let stack: Stack
  let proxy: TcpProxy
  let tenant: TestTenant
  let webhook: TestWebhook
  let eventId: string
  const through = () => ({ DATABASE_URL: proxy.through(stack.environment['DATABASE_URL']!) })
  before(async () => {
    stack = await startStack({ workers: 0, environment: QUICK_LEASES, mayLogErrors: true })
    proxy = await createTcpProxyTo(stack.environment['DATABASE_URL']!)
  })
  after(async () => {
    await stack.stop()
    await proxy.close()
  })
  beforeEach(async () => {
    tenant = await stack.tenant()
    webhook = await createTestWebhook(stack, tenant)
    eventId = newEventId()
  })
  const requests = () => stack.receiver.requestsTo(webhook.path)

  describe('under an api', () => {
    let client: TestTenant
    let pid: number
    before(async () => {
      const api = await stack.spawnApi(through())
      pid = api.pid
      client = await createTestTenant(stack.db, api.url)
    })

    for (const [what, break_] of FAULTS) {
      it(`is answered with 503 within 5 s when it ${what}, and the api recovers by itself`, async () => {
        expect((await publish(client, eventId)).status).to.equal(201)
        await break_(proxy)
        const startedMs = Date.now()
        const answers = await Promise.all([
          publish(client, newEventId()),
          client.request('GET', '/api-v1-webhooks'),
          ...Array.from({ length: 30 }, () => client.request('GET', '/api-v1-contacts')),
        ])
        const lastedMs = Date.now() - startedMs
        await proxy.pass()
        for (const { status, body, headers } of answers) {
          expect([status, Object.keys(body as object)]).to.deep.equal([503, ['error']])
          expect(body.error).to.have.all.keys('code', 'message')
          expect(body.error.code).to.equal('SERVICE_UNAVAILABLE')
          expect(headers.get('retry-after')).to.match(/^\d+$/)
        }
        expect(lastedMs).to.be.below(ANSWER_WITHIN_MS)
        const repeat = await until(
          () => publish(client, eventId),
          ({ status }) => status !== 503,
        )
        expect(repeat.status).to.equal(200)
        expect(() => process.kill(pid, 0)).to.not.throw()
      })
    }
  })

  describe('under a worker', () => {
    let worker: RunningPart
    before(async () => {
      worker = await stack.startWorker(through())
    })
    const linesWith = (message: string) =>
      worker
        .output()
        .split('\n')
        .filter((line) => line.includes(message))
    const unrecordedSoFar = () => linesWith('outcomes could not be recorded').length
    /** The deliveries whose activities ran out of time, each as often as it did. */
    const outOfTimeSoFar = () =>
      linesWith('an attempt failed by our own fault').map(
        (line) => (JSON.parse(line) as { delivery_id: string }).delivery_id,
      )

    for (const [what, break_] of FAULTS) {
      it(`spends no attempt and sends nothing twice when it ${what}`, async () => {
        stack.receiver.behave(webhook.path, { delayMs: 300 })
        await publish(tenant, eventId)
        await stack.receiver.next(webhook.path)
        const unrecorded = unrecordedSoFar()
        await break_(proxy)
        const later = Array.from({ length: 5 }, newEventId)
        for (const id of later) await publish(tenant, id)
        await until(unrecordedSoFar, (count) => count > unrecorded, { what: 'an outcome that met the fault' })
        await proxy.pass()
        for (const id of [eventId, ...later]) {
          const row = await deliveryWith(stack, id, ({ status }) => status === 'success')
          expect(row).to.include({ attempts: 1 })
        }
        expect(requests()).to.have.length(6)
        await expectSoundRows(stack.db)
      })
    }

    it('does not send without end while it reads and takes heartbeats but no attempts', async () => {
      await stack.db.raw(
        "CREATE TRIGGER refuse BEFORE INSERT ON attempts FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'",
      )
      const before = outOfTimeSoFar().length
      const ids = Array.from({ length: 5 }, newEventId)
      for (const id of ids) await publish(tenant, id)
      // A second activity of the same delivery would have sent again without memory. How many deliveries have their first
      // one before depends on how many pass the gate at once, so the test does not wait for a number of lines.
      await until(
        () => outOfTimeSoFar().slice(before),
        (deliveries) => new Set(deliveries).size < deliveries.length,
        { withinMs: TAKE_OVER_MS },
      )
      const sent = requests().map(({ headers }) => headers['webhook-id'])
      await stack.db.raw('DROP TRIGGER refuse')
      expect(sent).to.deep.equal([...new Set(sent)])
      for (const id of ids) {
        const row = await deliveryWith(stack, id, ({ status }) => status === 'success', TAKE_OVER_MS)
        expect(row).to.include({ attempts: 1 })
      }
      expect(requests()).to.have.length(ids.length)
      await expectSoundRows(stack.db)
    })
  })
})
