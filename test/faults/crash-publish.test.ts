// Also on MySQL with direct attempts: it matters who makes the attempt that a crash cuts.
import { expect } from 'chai'
import { useCrashStack } from '../support/crash-stack.ts'
import { isSuccess, kill, publish } from '../support/crashes.ts'
import { BY_WORKFLOWS } from '../support/first-attempts.ts'
import { until, untilIs, untilThere } from '../support/poll.ts'
import { useTcpProxies } from '../support/tcp-proxy.ts'
import { clientOf, createTestTenant, type Json, type TestTenant } from '../support/tenants.ts'
import type { StackInUse } from '../support/use-stack.ts'

type Crash = {
  /** Makes the request. */
  readonly send: (client: TestTenant) => Promise<unknown>
  /** A text in the first statement of the operation. */
  readonly statement: string
  /** Waits until the database has carried out the COMMIT. Without it the COMMIT never reaches the database. */
  readonly untilCommitted?: (() => Promise<unknown>) | undefined
}

/** Sends a request to a separate api that is killed at the COMMIT of that request. Register it before the tests. */
function useCrashAtCommit(use: StackInUse): (crash: Crash) => Promise<TestTenant> {
  const createProxy = useTcpProxies()
  /** @returns the company with the key that made the request, at the api that keeps running */
  return async ({ send, statement, untilCommitted }) => {
    const { db, api, environment } = use.stack
    const { companyId } = use.tenant.tenant
    const url = environment['DATABASE_URL'] ?? ''
    const database = await createProxy(url)
    const dying = await use.stack.spawnApi({ DATABASE_URL: database.through(url) })
    const client = await createTestTenant(db, api.url, { companyId })
    const held = database.holdAt('toServer', statement)
    const cutOff = send({ ...client, request: clientOf(dying.url, client.key) }).catch(() => 'cut off')
    await held
    // The api also commits the usage of the key. The next COMMIT after that one is the request's.
    await untilThere(() => db('api_key_usage').where({ key_id: client.keyId }), 1)
    await database.pass('toServer')
    // Knex writes a semicolon after COMMIT, so the text does not match the READ COMMITTED of a new connection.
    await database.holdAt('toServer', 'COMMIT;')
    if (untilCommitted) {
      database.stall('toClient')
      await database.pass('toServer')
      await untilCommitted()
    }
    await kill(dying)
    expect(await cutOff).to.equal('cut off')
    return client
  }
}

describe('crash around a commit of an api, and between a publish and the start of its workflow', function () {
  this.timeout(90_000)
  const use = useCrashStack()
  const crashAtCommit = useCrashAtCommit(use)
  const publishing = {
    send: (client: TestTenant) => publish(client, use.eventId),
    statement: 'events (company_id',
  }
  const countOf = (table: string) => use.stack.count(table, { company_id: use.tenant.tenant.companyId })

  it('leaves nothing when the api dies before its commit, and all of it after the repeat', async () => {
    await crashAtCommit(publishing)
    for (const table of ['events', 'deliveries', 'outbox']) expect(await countOf(table), table).to.equal(0)
    expect((await use.publish()).status).to.equal(201)
    const worker = await use.stack.startWorker()
    await use.delivery(isSuccess)
    expect(use.requests()).to.have.length(1)
    await worker.stop()
  })

  it('has all of it when the api dies after its commit, and the repeat delivers nothing twice', async () => {
    await crashAtCommit({ ...publishing, untilCommitted: () => use.delivery() })
    const repeat = await use.publish()
    expect([repeat.status, repeat.body.data.deliveries]).to.deep.equal([200, 1])
    const worker = await use.stack.startWorker()
    await use.delivery(isSuccess)
    await untilIs(() => countOf('outbox'), 0)
    expect(use.requests()).to.have.length(1)
    await worker.stop()
  })

  it('delivers once when the worker that had claimed the start dies before its call arrives', async () => {
    const worker = await use.worker(BY_WORKFLOWS)
    worker.temporal.stall('toServer')
    const { id } = await use.published()
    await untilThere(() => use.stack.db('outbox').where({ subject_id: id }).whereNotNull('lease_owner'), 1)
    await kill(worker)
    await use.stack.startWorker(BY_WORKFLOWS)
    await use.delivery(isSuccess)
    expect(await use.workflow(id, ({ status }) => status.name === 'COMPLETED')).to.exist
    expect(use.requests()).to.have.length(1)
  })

  describe('of a keyed POST', () => {
    const create = (client: TestTenant) => {
      const webhook = { name: 'keyed', url: 'https://example.com/hook', events: ['contact.created'] }
      return client.request('POST', '/api-v1-webhooks', webhook, { 'Idempotency-Key': use.tenant.keyId })
    }
    const crash = { send: create, statement: 'update `idempotency`' }
    const created = () => use.stack.db('webhooks').where({ name: 'keyed' }).pluck<string[]>('id')
    beforeEach(() => use.stack.db('webhooks').where({ name: 'keyed' }).delete())

    // decision: The answer is kept with the work
    it('answers the repeat when its api dies after the commit, and creates no second webhook', async () => {
      const answers = () => use.stack.db('idempotency').where({ company_id: use.tenant.tenant.companyId })
      const isKept = (rows: Json[]) => rows.some(({ answer_sealed }) => answer_sealed !== null)
      const client = await crashAtCommit({ ...crash, untilCommitted: () => until(answers, isKept) })
      const repeat = await create(client)
      expect([repeat.status, repeat.headers.get('idempotent-replayed')]).to.deep.equal([201, 'true'])
      expect(repeat.body.data.secret).to.match(/^whsec_/)
      expect(await created()).to.deep.equal([repeat.body.data.id])
    })

    it('leaves nothing when its api dies before the commit', async () => {
      const client = await crashAtCommit(crash)
      expect(await created()).to.deep.equal([])
      const again = await create(client)
      expect([again.status, again.headers.get('retry-after')]).to.deep.equal([409, '1'])
    })
  })
})
