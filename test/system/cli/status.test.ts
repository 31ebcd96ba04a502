import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect } from 'chai'
import { isAnswering } from '../../../src/db/connection/checks.ts'
import { recordHeartbeat } from '../../../src/db/workers.ts'
import { buildDeps, closeDatabase } from '../../../src/deps/deps.ts'
import { fingerprintSettings } from '../../../src/domain/sealing/settings-fingerprint.ts'
import { createCertificate } from '../../support/certificates.ts'
import { testDeps } from '../../support/deps.ts'
import { requiredEnv } from '../../support/environment.ts'
import { runCommand } from '../../support/operator-commands.ts'
import { useTcpProxies } from '../../support/tcp-proxy.ts'
import type { Json } from '../../support/tenants.ts'
import { useCli } from '../../support/use-cli.ts'

describe('the status of the service', () => {
  const its = useCli()
  const troublesOf = (status: Json): string[] => status.troubles.map(({ trouble }: Json) => trouble)
  const proxyTo = useTcpProxies()
  /** A Temporal that answers: one that is away takes its whole time. */
  const temporal = { TEMPORAL_ADDRESS: requiredEnv('TEMPORAL_ADDRESS') }
  const statusWith = (more: Record<string, string> = {}): Promise<Json> =>
    runCommand(testDeps(its.database, { ...its.environment, ...temporal, ...more }), 'status')
  /** In this process, on a pool as that of the process. `onConnected`: what happens to the connection before it is asked. */
  const statusAt = async (url: string, onConnected?: () => void): Promise<Json> => {
    const { config } = testDeps(its.database, { ...its.environment, ...temporal, DATABASE_URL: url })
    const deps = buildDeps({ ...config, logLevel: 'silent' }, 'status', its.deps.temporal)
    if (onConnected) await isAnswering(deps.db)
    onConnected?.()
    const status = await runCommand(deps, 'status')
    await closeDatabase(deps)
    return status
  }
  /** Far enough from now that a slow test changes nothing. */
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
    const row = {
      kind: 'expire-key',
      subject_id: 'key_1',
      company_id: 'com_1',
      lane: '',
      available_at,
      created_at: new Date(),
    }
    await db('outbox').insert(row)
    const status = await statusWith()
    const [lives, waits] = troublesOf(status)
    expect(lives).to.equal('No worker lives: nothing is sent.')
    expect(waits).to.match(/^The oldest row of the outbox has been due for 72\d\d s\.$/)
    expect(status.outbox).to.include({ pending: 1 })
    await db('outbox').delete()
  })

  // decision: The status of the service
  it('answers on one screen while the database or Temporal is away, hangs or is slow', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const urls = [1, port].map((at) => `mysql://a:b@127.0.0.1:${at}/c`)
    const slow = await proxyTo(its.database.url)
    const [late, screen, gone, hanging] = await Promise.all([
      // Each question is answered within its own limit.
      statusAt(slow.through(its.database.url), () => slow.delay(800)),
      its.result(['status'], { TEMPORAL_ADDRESS: `127.0.0.1:${port}`, DATABASE_URL: urls[1]! }),
      ...urls.map((url) => statusAt(url)),
    ])
    silent.close()
    expect(gone!.temporal)
      .to.include({ state: 'up' })
      .and.have.property('version')
      .that.matches(/^\d+\.\d+/)
    for (const status of [gone, hanging]) {
      expect(troublesOf(status)).to.deep.equal(['The database does not answer.', 'The api does not answer.'])
      expect(status).to.nested.include({ 'database.state': 'away', 'temporal.state': 'up', workers: null })
    }
    expect(troublesOf(late)[0]).to.equal('The database is slow: it did not answer within 5 s.')
    expect(screen.exitCode).to.equal(0)
    expect(screen.stdout.split('\n').length).to.be.below(25)
    expect(screen.stdout)
      .to.match(/^database\.state: +away$/m)
      .and.match(/^temporal\.state: +away$/m)
  })

  it('says that the certificate of the api is not trusted, and how to name its authority', async () => {
    const server = createTlsServer(await createCertificate(['127.0.0.1'])).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const PUBLIC_URL = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const status = await statusWith({ PUBLIC_URL })
    server.close()
    expect(status.api).to.deep.equal({ state: 'untrusted', missing: [] })
    expect(troublesOf(status).at(-1))
      .to.match(
        /^The certificate of the api at PUBLIC_URL is not trusted here \(DEPTH_ZERO_SELF_SIGNED_CERT\)/,
      )
      .and.include('NODE_EXTRA_CA_CERTS')
  })

  it('says which migrations are missing', async () => {
    const name = its.database.url.replace(/[^/]+$/, 'no_such_database')
    expect(troublesOf(await statusAt(name))).to.include('The database is not set up: run "migrate".')
    const { db } = its.database
    const where = { name: '001-accounts' }
    const row: Json = await db('knex_migrations').where(where).first()
    await db('knex_migrations').where(where).delete()
    expect(troublesOf(await statusWith())).to.include('The database lacks 001-accounts: run "migrate".')
    await db('knex_migrations').insert(row)
  })
})
