import { expect } from 'chai'
import { deliveryOf, deliveryWith, newEventId, publish, QUICK_LEASES } from '../support/crashes.ts'
import { DIRECT, makersOf } from '../support/first-attempts.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { until, untilAtLeast } from '../support/poll.ts'
import type { RunningProcess } from '../support/processes.ts'
import { startHeldEndpoint, type HeldEndpoint, useEndpointsOn } from '../support/stack-endpoints.ts'
import { createTcpProxyTo, type TcpProxy } from '../support/tcp-proxy.ts'
import { type Json, createTestWebhook, type TestWebhook } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'
import { useWorkerCrew } from '../support/worker-crew.ts'

/** WEBHOOK_TIMEOUT plus RECORDING_TIMEOUT of these workers. */
const LEASE_MS = 7_000
/** Rows read longer ago than this are read again before an attempt is sent. */
const OLD_ROWS_MS = 500

describe('a worker that loses time between the claim of a first attempt and its first byte', function () {
  this.timeout(120_000)
  const crew = useWorkerCrew(() => use.stack)
  const use = useStack({
    workers: 0,
    environment: { ...QUICK_LEASES, ...DIRECT, WEBHOOK_TIMEOUT: '4s' },
    mayLogErrors: true,
  })
  const endpoints = useEndpointsOn(use)
  let wire: TcpProxy
  let endpoint: HeldEndpoint
  let webhook: TestWebhook
  let eventId: string
  afterEach(async () => {
    await wire.stop()
    await expectSoundRows(use.stack.db)
  })

  /** A worker that has claimed a delivery and stands still before the TLS handshake with the endpoint. */
  async function freeze(): Promise<RunningProcess> {
    endpoint = await startHeldEndpoint(endpoints)
    wire = await createTcpProxyTo(endpoint.url)
    wire.stall()
    webhook = await createTestWebhook(use.stack, use.tenant, {
      url: `https://127.0.0.1:${wire.port}/hook`,
      retry_schedule: [600],
    })
    eventId = newEventId()
    const worker = await crew.worker()
    await publish(use.tenant, eventId)
    await untilAtLeast(() => wire.bytes(), 1, { what: 'the begin of a handshake' })
    worker.kill('SIGSTOP')
    const { id } = await deliveryOf(use.stack, eventId)
    const leaseMs = async (): Promise<number> => {
      const left = use.stack.db.raw('TIMESTAMPDIFF(MICROSECOND, NOW(3), available_at) / 1000 AS left_ms')
      const [row] = (await use.stack.db('outbox').where({ subject_id: id }).select(left)) as Json[]
      return Number(row.left_ms)
    }
    await until(leaseMs, (ms) => ms < LEASE_MS - OLD_ROWS_MS, { what: 'rows that are too old to send from' })
    await wire.pass()
    return worker
  }

  /** Resumes the worker, and waits until its connection is ready and its attempt is over. */
  async function thaw(worker: RunningProcess): Promise<void> {
    const before = endpoint.handshakes()
    worker.kill('SIGCONT')
    await untilAtLeast(() => endpoint.handshakes(), before + 1, { what: 'the handshake of the frozen one' })
    expect(await worker.stop()).to.equal(0)
  }

  it('sends nothing when the webhook was deleted meanwhile', async () => {
    const frozen = await freeze()
    await webhook.remove()
    await thaw(frozen)
    await crew.another()
    const row = await deliveryWith(use.stack, eventId, ({ status }) => status === 'failed')
    expect(row).to.include({ closed_reason: 'webhook_deleted', attempts: 0 })
    expect(endpoint.requests).to.deep.equal([])
  })

  it('sends nothing while another worker is making the attempt, whose outcome counts', async () => {
    const frozen = await freeze()
    await crew.another()
    await endpoint.arrived(1)
    await thaw(frozen)
    endpoint.answer(1, 500)
    const { id } = await deliveryWith(use.stack, eventId, ({ attempts }) => attempts === 1)
    expect(endpoint.requests).to.have.length(1)
    expect(await deliveryOf(use.stack, eventId)).to.include({ status: 'retrying', response_code: 500 })
    expect(await makersOf(use.stack, id)).to.deep.equal(['worker'])
  })
})
