import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { readMetric, type RunningPart, untilReadinessIs } from '../support/running-parts.ts'
import { until, untilAtLeast } from '../support/poll.ts'
import { answer } from '../support/raw-endpoint.ts'
import { useEndpointsOn } from '../support/stack-endpoints.ts'
import { useStack } from '../support/use-stack.ts'
import { createContact, createTestWebhook, type TestWebhook } from '../support/tenants.ts'

/** Forwards a port to the endpoint. Frozen with a full queue, it acts as a host that never answers. */
const FRONT = `
  const { connect, createServer } = require('node:net')
  const server = createServer((socket) => {
    const onward = connect(Number(process.argv[1]), '127.0.0.1')
    for (const [from, to] of [[socket, onward], [onward, socket]])
      from.on('error', () => to.destroy()).pipe(to)
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port))`
/** More than the backlog. The kernel accepts the first connections and drops the others when the queue is full. */
const FILLING = 6

describe('the network of a worker', function () {
  this.timeout(120_000)
  const use = useStack({ workers: 0, environment: { WEBHOOK_TIMEOUT: '3s' }, mayLogErrors: true })
  const endpoints = useEndpointsOn(use)
  type Company = { child: ChildProcess; port: number; filling: Socket[]; webhook: TestWebhook }
  const companies: Company[] = []
  let worker: RunningPart

  before(async () => {
    const closing = answer(200, 'ok').replace('\r\n', '\r\nConnection: close\r\n')
    const endpoint = await endpoints.start((socket) => socket.end(closing))
    worker = await use.stack.startWorker()
    for (let company = 0; company < 3; company++) {
      const child = spawn(process.execPath, ['-e', FRONT, String(endpoint.port)])
      const [line] = (await once(child.stdout, 'data')) as [Buffer]
      const port = Number(line.toString())
      const fields = { url: `https://127.0.0.1:${port}/hook`, retry_schedule: [1] }
      const webhook = await createTestWebhook(use.stack, await use.stack.tenant(), fields)
      companies.push({ child, port, filling: [], webhook })
    }
  })
  after(() => companies.forEach(({ child }) => child.kill('SIGKILL')))

  async function freeze(company: number): Promise<void> {
    const { child, port, filling } = companies[company]!
    child.kill('SIGSTOP')
    for (let index = 0; index < FILLING; index++)
      filling.push(connect(port, '127.0.0.1').on('error', () => undefined))
    await once(filling[0]!, 'connect')
  }
  function thaw(company: number): void {
    const { child, filling } = companies[company]!
    for (const socket of filling.splice(0)) socket.destroy()
    child.kill('SIGCONT')
  }
  const publish = (...all: number[]) =>
    Promise.all(all.map((company) => createContact(companies[company]!.webhook.tenant)))
  const latest = async (company: number) => (await companies[company]!.webhook.deliveries())[0]!
  const faults = () => readMetric(worker, 'webhook_worker_faults_total', { reason: 'network' })
  const untilDelivered = (company: number, attempts: number) =>
    until(
      () => latest(company),
      (delivery) => delivery['status'] === 'success' && delivery['attempts'] === attempts,
      { withinMs: 60_000 },
    )

  // decision: A network that is down
  it('spends an attempt when one company cannot be reached, and defers none of the others', async () => {
    await publish(0, 1, 2)
    await Promise.all([0, 1, 2].map((company) => untilDelivered(company, 1)))
    await freeze(0)
    await publish(0, 1)
    await untilDelivered(1, 1)
    await untilAtLeast(async () => Number((await latest(0)).attempts), 1, { withinMs: 30_000 })
    expect(await latest(0)).to.include({ status: 'retrying', error: 'connect_timeout' })
    expect(await faults()).to.equal(0)
  })

  // decision: A network that is down
  it('spends nothing while no company can be reached, says so, and goes on by itself', async () => {
    for (const company of [1, 2]) await freeze(company)
    await publish(1, 2)
    await until(faults, (count) => count > 2, { withinMs: 60_000 })
    for (const company of [1, 2])
      expect(await latest(company)).to.include({ status: 'pending', attempts: 0, error: null })
    expect((await untilReadinessIs(worker, 503)).parts).to.include({ egress: false, resolver: true })
    expect(worker.output()).to.include('no endpoint of any company can be reached')
    for (const company of [0, 1, 2]) thaw(company)
    await Promise.all([1, 2].map((company) => untilDelivered(company, 1)))
    await untilReadinessIs(worker, 200)
  })
})
