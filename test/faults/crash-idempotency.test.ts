import { expect } from 'chai'
import { kill } from '../support/crashes.ts'
import { until } from '../support/poll.ts'
import { useTcpProxies } from '../support/tcp-proxy.ts'
import { createTestTenant, type Json, type TestTenant } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'
import { createTestWebhook } from '../support/webhooks.ts'

const WEBHOOKS = '/api-v1-webhooks'
const WEBHOOK = { name: 'a', url: 'https://example.com/hook', events: ['contact.created'] }

describe('the answer of a keyed POST', function () {
  const use = useStack({ workers: 0, mayLogErrors: true })

  describe('when its api dies between the commit and the answer', function () {
    this.timeout(60_000)
    const createProxy = useTcpProxies()

    const headers = (key: string) => ({ 'Idempotency-Key': key })

    /** An API key of the company that nobody has used. */
    const createKey = () =>
      createTestTenant(use.stack.db, use.stack.api.url, { companyId: use.tenant.tenant.companyId })

    /**
     * Sends the request with the key to a separate api. Stops its transaction's COMMIT before or after the database gets
     * it, and kills the api.
     */
    async function crashAtCommit(
      isCommitted: boolean,
      { key, keyId }: TestTenant,
      [path, body, idempotencyKey]: readonly [string, object | undefined, string],
    ) {
      const url = use.stack.environment['DATABASE_URL'] ?? ''
      const database = await createProxy(url)
      const api = await use.stack.spawnApi({ DATABASE_URL: database.through(url) })
      const client = await createTestTenant(use.stack.db, api.url)
      const sent = { ...headers(idempotencyKey), authorization: `Bearer ${key}` }
      const held = database.holdAt('toServer', 'update `idempotency`')
      const cutOff = client.request('POST', path, body, sent).catch(() => 'cut off')
      await held
      // The api also commits the usage of the key. After that commit, the next COMMIT is that of the work.
      await until(
        () => use.stack.db('api_key_usage').where({ key_id: keyId }),
        (rows: Json[]) => rows.length === 1,
      )
      await database.pass('toServer')
      // Knex writes a semicolon after COMMIT. So this does not match the READ COMMITTED of a new connection.
      await database.holdAt('toServer', 'COMMIT;')
      if (isCommitted) {
        database.stall('toClient')
        await database.pass('toServer')
        const kept = () => use.stack.db('idempotency').whereNotNull('answer_sealed')
        await until(kept, (rows: Json[]) => rows.length === 1)
      }
      await kill(api)
      expect(await cutOff).to.equal('cut off')
    }

    beforeEach(() => use.stack.db('idempotency').delete())

    // decision: The answer is kept with the work
    it('answers the repeat with its answer, and creates no second webhook', async () => {
      const key = await createKey()
      await crashAtCommit(true, key, [WEBHOOKS, WEBHOOK, 'one'])
      const repeat = await key.request('POST', WEBHOOKS, WEBHOOK, headers('one'))
      expect([repeat.status, repeat.headers.get('idempotent-replayed')]).to.deep.equal([201, 'true'])
      expect(repeat.body.data.secret).to.match(/^whsec_/)
      const list = await use.tenant.request('GET', WEBHOOKS)
      expect(list.body.data.map(({ id }: Json) => id)).to.deep.equal([repeat.body.data.id])
    })

    // decision: The answer is kept with the work
    it('answers the repeat with the regenerated secret, and does not replace it again', async () => {
      const webhook = await createTestWebhook(use.stack, use.tenant)
      const path = `${WEBHOOKS}/${webhook.id}/regenerate-secret`
      const key = await createKey()
      await crashAtCommit(true, key, [path, undefined, 'renew'])
      const sealedOf = async () =>
        (await use.stack.db('webhooks').where({ id: webhook.id }).first<Json>()).secret_sealed
      const sealed = await sealedOf()
      const repeat = await key.request('POST', path, undefined, headers('renew'))
      expect(repeat.headers.get('idempotent-replayed')).to.equal('true')
      expect(await sealedOf()).to.equal(sealed)
    })

    it('leaves nothing when it dies before the commit', async () => {
      const key = await createKey()
      await crashAtCommit(false, key, [WEBHOOKS, WEBHOOK, 'none'])
      expect((await use.tenant.request('GET', WEBHOOKS)).body.data).to.have.length(0)
      const again = await key.request('POST', WEBHOOKS, WEBHOOK, headers('none'))
      expect([again.status, again.headers.get('retry-after')]).to.deep.equal([409, '1'])
    })
  })

  describe('when it cannot be kept', function () {
    this.timeout(30_000)
    before(() =>
      use.stack.db.raw(
        "CREATE TRIGGER no_answers BEFORE UPDATE ON idempotency FOR EACH ROW SIGNAL SQLSTATE '45000'",
      ),
    )
    after(() => use.stack.db.raw('DROP TRIGGER no_answers'))

    const figures = async () => {
      const tables = ['webhooks', 'resources', 'resource_counters', 'events', 'deliveries', 'outbox', 'audit']
      const rows = await Promise.all(tables.map((table) => use.stack.db(table).select('*')))
      return JSON.stringify(rows)
    }

    // decision: The answer is kept with the work
    it('leaves no work either: a retry and a batch are not made', async () => {
      const webhook = await createTestWebhook(use.stack, use.tenant)
      await use.tenant.request('POST', '/api-v1-contacts', { name: 'b' })
      const [delivery] = await webhook.deliveries()
      const before = await figures()
      for (const [path, body] of [
        [`${WEBHOOKS}/${webhook.id}/deliveries/${delivery.id}/retry`, undefined],
        ['/api-v1-events', { events: [{ event: 'deal.created', data: {} }] }],
      ] as const) {
        const answer = await use.tenant.request('POST', path, body, { 'Idempotency-Key': path })
        expect([path, answer.status]).to.deep.equal([path, 500])
        expect(await figures()).to.equal(before)
      }
    })
  })
})
