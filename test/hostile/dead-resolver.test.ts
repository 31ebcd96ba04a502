// Only in .ci/run: answers that do not come take 23 s.
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { createCertificate } from '../support/certificates.ts'
import { startDnsServer, type DnsAnswer, type DnsServer } from '../support/dns-server.ts'
import { requiredEnv } from '../support/environment.ts'
import { readMetric, untilReadinessIs } from '../support/running-parts.ts'
import { until } from '../support/poll.ts'
import type { RunningProcess } from '../support/processes.ts'
import { answer, startRawEndpoint, type RawEndpoint } from '../support/raw-endpoint.ts'
import { useStack } from '../support/use-stack.ts'
import { createContact, createTestWebhook } from '../support/tenants.ts'

const EVENTS = 3

describe('name servers of a worker', function () {
  this.timeout(90_000)
  const use = useStack({ workers: 0, mayLogErrors: true })
  let dns: DnsServer
  let answerTo: (name: string) => DnsAnswer
  let endpoint: RawEndpoint
  let worker: RunningProcess
  before(async () => {
    dns = await startDnsServer((name) => answerTo(name))
    const certificate = await createCertificate(['good.example', 'broken.example'])
    const caFile = path.join(requiredEnv('TEST_RUN_DIR'), 'name-servers.pem')
    await writeFile(caFile, certificate.cert)
    endpoint = await startRawEndpoint(certificate, (socket) => socket.write(answer(200, 'ok')))
    worker = await use.stack.spawnWorker({ ...askingAt(dns), WEBHOOK_CA_FILE: caFile })
  })
  after(() => Promise.all([dns.close(), endpoint.close()]))

  const faults = () => readMetric(worker, 'webhook_worker_faults_total', { reason: 'resolver' })
  const webhookAt = (host: string, fields: object = {}) =>
    createTestWebhook(use.stack, use.tenant, { url: `https://${host}:${endpoint.port}/hook`, ...fields })

  // decision: Dead name servers and a broken zone
  it('that answer nothing cost no attempt: the worker waits, says what to do, and goes on by itself', async () => {
    dns.rootAnswer = 'silent'
    answerTo = () => 'silent'
    const webhook = await webhookAt('good.example')
    for (let event = 0; event < EVENTS; event++) await createContact(use.tenant)
    // One more than the deliveries, because one delivery was retried after its pause.
    await until(faults, (count) => count > EVENTS, { withinMs: 40_000 })

    for (const delivery of await webhook.deliveries())
      expect(delivery).to.include({ status: 'pending', attempts: 0, error: null })
    expect(await use.stack.db('attempts').select('delivery_id')).to.deep.equal([])
    const lines = worker.output().split('the name servers answer nothing').length - 1
    expect(lines).to.be.above(0).and.below(EVENTS)
    const { parts } = await untilReadinessIs(worker, 503)
    expect(parts).to.include({ resolver: false, database: true })

    dns.rootAnswer = []
    answerTo = () => ['127.0.0.1']
    const delivered = await webhook.delivered(EVENTS, { withinMs: 40_000 })
    expect(delivered.map(({ attempts }) => attempts as number)).to.deep.equal(Array(EVENTS).fill(1))
    await untilReadinessIs(worker, 200)
  })

  // decision: Dead name servers and a broken zone
  // decision: Names that resolve to no public address
  it('that answer for others leave a zone that does not answer to its owner, and tell the operator alone of private addresses', async () => {
    dns.rootAnswer = []
    const answers: Record<string, DnsAnswer> = { 'broken.example': 'silent', 'private.example': ['10.9.8.7'] }
    answerTo = (name) => answers[name] ?? ['127.0.0.1']
    const before = await faults()
    const hidden = await webhookAt('private.example', { max_retries: 0 })
    const broken = await webhookAt('broken.example', { max_retries: 0 })
    const neighbour = await webhookAt('good.example')
    await createContact(use.tenant)
    expect(await broken.delivery('failed')).to.include({ attempts: 1, error: 'dns_error' })
    expect(await neighbour.delivery('success')).to.include({ attempts: 1 })
    expect(await hidden.delivery('failed')).to.include({ attempts: 1, error: 'dns_error' })
    const labels = { error_kind: 'blocked_address' }
    expect(await readMetric(worker, 'webhook_attempts_total', labels)).to.equal(1)
    expect(worker.output().split('"error":"blocked_address"')).to.have.length(2)
    expect(await faults()).to.equal(before)
  })
})

/**
 * The environment that makes a process ask this name server only. The system's list of name servers serves all
 * processes, so the process sets ours on every resolver that it makes.
 */
function askingAt({ address }: DnsServer): Record<string, string> {
  const program = `
    import dns from 'node:dns'
    const { Resolver } = dns.promises
    dns.promises.Resolver = class extends Resolver {
      constructor(options) {
        super(options)
        this.setServers(['${address}'])
      }
    }`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` }
}
