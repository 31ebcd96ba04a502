// Also on MySQL with direct attempts: the server and its driver differ.
import { randomBytes } from 'node:crypto'
import { copyFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { connect, type SystemDb } from '../../../../src/db/connection/connection.ts'
import { isAnswering } from '../../../../src/db/connection/checks.ts'
import { describeFailure } from '../../../../src/cli/run.ts'
import { buildDeps, closeDatabase } from '../../../../src/deps/deps.ts'
import { databaseAdvice } from '../../../../src/db/connection/errors.ts'
import { listMissingMigrations } from '../../../../src/db/schema.ts'
import { createCertificate } from '../../../support/certificates.ts'
import { launchDatabaseServer, type DatabaseServer } from '../../../support/database-server.ts'
import { testDeps } from '../../../support/database.ts'
import { runCommand } from '../../../support/operator-commands.ts'

describe('TLS to the database', function () {
  this.timeout(120_000)
  let server: DatabaseServer
  const file = (name: string) => path.join(server.dir, name)
  /** The server's address with another host name for this machine. */
  const at = (host: string, database = 'mysql') => {
    const url = new URL(`${server.url}${database}`)
    url.hostname = host
    return url.href
  }

  before(async () => {
    server = await launchDatabaseServer(async ({ dir }) => {
      for (const [name, names] of Object.entries({ address: ['127.0.0.1'], localhost: ['localhost'] })) {
        const { cert, key } = await createCertificate(names)
        await writeFile(path.join(dir, `${name}.pem`), cert)
        await writeFile(path.join(dir, `${name}.key`), key)
      }
      const { cert } = await createCertificate(['127.0.0.1', 'localhost'])
      await writeFile(path.join(dir, 'other.pem'), cert)
      for (const end of ['pem', 'key'])
        await copyFile(path.join(dir, `address.${end}`), path.join(dir, `server.${end}`))
      const options = { 'ssl-cert': 'server.pem', 'ssl-key': 'server.key' }
      const files = Object.entries(options).map(([option, name]) => `--${option}=${path.join(dir, name)}`)
      return [...files, '--require-secure-transport=ON']
    })
  })
  after(() => server.stop())

  /** Waits until the server shows that certificate. @param from the previous certificate */
  async function showCertificate(name: string, from: 'address' | 'localhost'): Promise<void> {
    for (const end of ['pem', 'key']) await copyFile(file(`${name}.${end}`), file(`server.${end}`))
    await using(at(from === 'address' ? '127.0.0.1' : from), from, (db) =>
      db.raw(server.kind === 'mysql' ? 'ALTER INSTANCE RELOAD TLS' : 'FLUSH SSL'),
    )
  }
  async function using<T>(url: string, ca: string, work: (db: SystemDb) => Promise<T>): Promise<T> {
    const db = connect(url, { poolSize: 1, tls: { caFile: file(`${ca}.pem`) } })
    try {
      return await work(db)
    } finally {
      await db.destroy()
    }
  }
  const outcomeOf = (url: string, ca: string) =>
    using(url, ca, isAnswering).then(
      () => 'connected',
      (error: unknown) => databaseAdvice(error) ?? String(error),
    )

  it('connects where the authority signed a certificate for the host, and the session is encrypted', async () => {
    const [[cipher]] = (await using(at('127.0.0.1'), 'address', (db) =>
      db.raw("SHOW SESSION STATUS LIKE 'Ssl_cipher'"),
    )) as [{ Value: string }[]]
    expect(cipher?.Value).to.match(/\w/)
  })

  // decision: TLS to the database
  it('refuses a certificate of another authority, and says which setting names ours', async () => {
    const refused = /^TLS to the database failed .*DATABASE_CA_FILE/
    expect(await outcomeOf(at('127.0.0.1'), 'other')).to.match(refused)
  })

  // decision: TLS to the database
  it('refuses a certificate for another host, by name and by address', async () => {
    expect(await outcomeOf(at('localhost'), 'address')).to.match(/altnames/)
    await showCertificate('localhost', 'address')
    expect(await outcomeOf(at('127.0.0.1'), 'localhost')).to.match(/altnames/)
    expect(await outcomeOf(at('localhost'), 'localhost')).to.equal('connected')
    await showCertificate('address', 'localhost')
  })

  it('is used by migrations and the pools of every process as their settings say, also where nothing else is accepted', async () => {
    const url = at('127.0.0.1', `t_${randomBytes(6).toString('hex')}`)
    const environment = {
      DATABASE_URL: url,
      DATABASE_TLS: 'on',
      DATABASE_CA_FILE: file('address.pem'),
      SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    }
    const migrateWith = (more: object) =>
      using(url, 'address', (db) => runCommand(testDeps({ url, db }, { ...environment, ...more }), 'migrate'))
    const wrong = await migrateWith({ DATABASE_CA_FILE: file('other.pem') }).catch(describeFailure)
    expect(wrong.message).to.include('DATABASE_CA_FILE must hold')
    const off = { DATABASE_TLS: 'off', DATABASE_CA_FILE: '' }
    const plain = await migrateWith(off).catch((error: unknown) => error)
    // MySQL reports that insecure transport is prohibited, MariaDB that access is denied.
    expect(plain).to.have.property('errno').that.is.oneOf([3159, 1045])
    expect((await migrateWith({})).applied).to.have.length.above(3)
    expect(await using(url, 'address', listMissingMigrations)).to.deep.equal([])
    const { config, temporal } = testDeps({ url, db: undefined as never }, environment)
    const deps = buildDeps(config, 'api', temporal)
    expect(await isAnswering(deps.db)).to.equal(true)
    await closeDatabase(deps)
  })
})
