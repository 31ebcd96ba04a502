import { readdirSync } from 'node:fs'
import { expect } from 'chai'
import { readMetric, readinessOf, untilReadinessIs } from '../support/running-parts.ts'
import { untilAtLeast, untilIs } from '../support/poll.ts'
import { startProcess, type RunningProcess } from '../support/processes.ts'
import { allClosed, openSockets } from '../support/loopback.ts'
import { startHeldEndpoint, useEndpointsOn } from '../support/stack-endpoints.ts'
import { type TestTenant, createContact, createTestWebhook } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'

const COMPANIES = 5
const WEBHOOKS = 15
/** The limit of open files: far fewer than there are hanging endpoints. */
const FILE_LIMIT = 200

describe('a process that may open few files', function () {
  this.timeout(120_000)
  // No hanging attempt times out before the test releases it.
  const use = useStack({ workers: 0, environment: { WEBHOOK_TIMEOUT: '100s' } })
  const endpoints = useEndpointsOn(use)
  const started: RunningProcess[] = []
  after(() => Promise.all(started.map((running) => running.stop())))
  async function start(kind: 'server' | 'worker', more: Record<string, string> = {}) {
    const running = await startProcess(kind, { ...use.stack.environment, ...more }, { fileLimit: FILE_LIMIT })
    started.push(running)
    return running
  }

  // decision: No process fills its own file table
  it('is a worker that hung endpoints cannot fill: it lives, blames nobody, and delivers all once they answer', async () => {
    const endpoint = await startHeldEndpoint(endpoints)
    const tenants = await Promise.all(Array.from({ length: COMPANIES }, () => use.stack.tenant()))
    const subscribe = async (tenant: TestTenant) => {
      for (let made = 0; made < WEBHOOKS; made++)
        await createTestWebhook(use.stack, tenant, { url: endpoint.url })
      await createContact(tenant)
    }
    await Promise.all(tenants.map(subscribe))

    const worker = await start('worker')
    const filesOf = () => readdirSync(`/proc/${worker.pid}/fd`).length
    const room = await readMetric(worker, 'webhook_attempt_room')
    expect(room).to.equal(43)
    expect(worker.output()).to.include('leaves room for 43 attempts at once in place of 320')
    // Each of five companies gets as much as is left for another one, so they use five sixths of the room.
    await endpoint.arrived(Math.floor((room * COMPANIES) / (COMPANIES + 1)) - COMPANIES)
    expect(endpoint.requests).to.have.length.at.most(room)
    expect(filesOf()).to.be.below(FILE_LIMIT)
    expect(await use.stack.count('attempts')).to.equal(0)

    endpoint.answerAll(200)
    const countAtOnce = () => use.stack.count('deliveries', { status: 'success', attempts: 1 })
    await untilIs(countAtOnce, COMPANIES * WEBHOOKS, { withinMs: 60_000 })
    expect(await readMetric(worker, 'webhook_worker_faults_total')).to.equal(0)
    expect(await readinessOf(worker)).to.include({ status: 200 })
  })

  // decision: No process fills its own file table
  it('is an api that clients cannot fill: it takes fewer connections than MAX_CONNECTIONS, and still answers', async () => {
    const api = await start('server', { TRUSTED_PROXIES: '127.0.0.1/32' })
    expect(api.output()).to.include('leaves room for 72 connections in place of the 2000 of MAX_CONNECTIONS')
    const port = Number(new URL(api.url).port)
    const sockets = await openSockets(port, 2 * FILE_LIMIT)
    await untilAtLeast(() => sockets.filter(({ destroyed }) => destroyed).length, 2 * FILE_LIMIT - 72)
    for (const socket of sockets) socket.destroy()
    await allClosed(sockets)
    await untilReadinessIs(api, 200)
    expect(await readMetric(api, 'http_connections_cut_total', { reason: 'process_limit' })).to.be.above(0)
  })
})
