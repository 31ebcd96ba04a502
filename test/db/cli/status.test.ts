import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect } from 'chai'
import { connect } from '../../../src/db/connection/connection.ts'
import { recordHeartbeat } from '../../../src/db/workers.ts'
import { fingerprintSettings } from '../../../src/domain/sealing/settings-fingerprint.ts'
import { readStatus } from '../../../src/operations/operator/status.ts'
import { presentStatus } from '../../../src/presenters/status.ts'
import { createProbes } from '../../../src/process/probes.ts'
import { createCertificate } from '../../support/certificates.ts'
import { testDeps } from '../../support/database.ts'
import type { Json } from '../../support/tenants.ts'
import { useCli } from '../../support/use-cli.ts'

describe('the status of the service', () => {
  const its = useCli()
  const troublesOf = (status: Json): string[] => status.troubles.map(({ trouble }: Json) => trouble)
  /** The status as the command prints it. test/system/cli/status.test.ts covers Temporal's part. */
  const statusWith = async (more: Record<string, string> = {}, db = its.database.db): Promise<Json> => {
    const deps = testDeps({ ...its.database, db }, { ...its.environment, ...more })
    const probes = { ...createProbes(deps.config), askTemporal: () => Promise.resolve('1.29.1') }
    return presentStatus(await readStatus(deps, probes), '1.0.0')
  }
  /** Far enough from the present that a slow test does not change the result. */
  const beat = async (id: string, version: string, timeout: number, minutesAgo = -60) => {
    const settings = fingerprintSettings(its.deps.config.secretsKeys, { WEBHOOK_TIMEOUT: timeout })
    const { db } = its.database
    await recordHeartbeat(db, { id, address: '127.0.0.1:1', version, settings })
    const heartbeat_at = db.raw('NOW(3) - INTERVAL ? MINUTE', [minutesAgo])
    await db('workers').where({ id }).update({ heartbeat_at })
  }

  it('names the workers that live, what they differ in, and who leads', async () => {
    await beat('wrk_1', '1.0.0', 1)
    await beat('wrk_2', '2.0.0', 2)
    await beat('wrk_3', '2.0.0', 2, 1)
    await its.database.db('leases').insert({ name: 'reconciler', owner: 'wrk_2', expires_at: '2099-01-01' })
    const status = await statusWith()
    expect(status).to.include({ state: 'trouble' }).and.nested.include({ 'database.is_writable': true })
    expect(status.database.clock_ahead_seconds).to.be.within(-1, 1)
    const [silent, ...others] = troublesOf(status)
    expect(silent).to.match(/^wrk_3 has been silent for 6\d s\.$/)
    expect(others).to.deep.equal([
      'Workers run different versions: 1.0.0, 2.0.0.',
      'Workers differ in WEBHOOK_TIMEOUT.',
      'The api does not answer.',
    ])
    const { data } = await its.run('worker', 'list')
    expect(Object.keys(data[0])).to.deep.equal(Object.keys(status.workers[0]))
    expect(data.map(({ id, state, is_leader }: Json) => [id, state, is_leader])).to.deep.equal([
      ['wrk_1', 'live', false],
      ['wrk_2', 'live', true],
      ['wrk_3', 'silent', false],
    ])
    expect(data[1].settings).to.equal(data[2].settings).and.not.equal(data[0].settings)
  })

  it('says that nothing lives, and since when the outbox waits', async () => {
    const { db } = its.database
    await db('workers').delete()
    const available_at = db.raw('NOW(3) - INTERVAL 2 HOUR')
    const row = { kind: 'expire-key', subject_id: 'key_1', company_id: 'com_1', lane: '' }
    await db('outbox').insert({ ...row, available_at, created_at: new Date() })
    const status = await statusWith()
    const [lives, waits] = troublesOf(status)
    expect(lives).to.equal('No worker lives: nothing is sent.')
    expect(waits).to.match(/^The oldest row of the outbox has been due for 72\d\d s\.$/)
    expect(status.outbox).to.include({ pending: 1 })
    await db('outbox').delete()
  })

  it('says that the certificate of the api is not trusted, and how to name its authority', async () => {
    const server = createTlsServer(await createCertificate(['127.0.0.1'])).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const PUBLIC_URL = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const status = await statusWith({ PUBLIC_URL })
    server.close()
    expect(status.api).to.deep.equal({ state: 'untrusted', missing: [] })
    const untrusted =
      'The certificate of the api at PUBLIC_URL is not trusted here (DEPTH_ZERO_SELF_SIGNED_CERT)'
    expect(troublesOf(status).at(-1)).to.include(untrusted).and.include('NODE_EXTRA_CA_CERTS')
  })

  it('says which migrations are missing', async () => {
    const none = connect(its.database.url.replace(/[^/]+$/, 'no_such_database'), { poolSize: 1 })
    expect(troublesOf(await statusWith({}, none))).to.include('The database is not set up: run "migrate".')
    await none.destroy()
    const { db } = its.database
    const where = { name: '001-accounts' }
    const row: Json = await db('knex_migrations').where(where).first()
    await db('knex_migrations').where(where).delete()
    expect(troublesOf(await statusWith())).to.include('The database lacks 001-accounts: run "migrate".')
    await db('knex_migrations').insert(row)
  })
})
