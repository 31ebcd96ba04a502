import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { generate } from 'selfsigned'
import { checkCaFile, checkDatabaseCaFile, checkTlsFiles } from '../../../src/config/files.ts'
import { ConfigError, readConfig } from '../../../src/config/index.ts'
import { useTemporaryDirectory } from '../../support/temporary-directory.ts'

// decision: Files that settings name
describe('files that the configuration names', () => {
  const dir = useTemporaryDirectory('all tests')
  const file = (name: string) => path.join(dir.path, name)
  before(async () => {
    const [own, other] = await Promise.all([generate(), generate()])
    await writeFile(file('cert.pem'), own.cert)
    await writeFile(file('key.pem'), own.private)
    await writeFile(file('other.pem'), other.private)
    await writeFile(file('two.pem'), `${own.cert}\n${other.cert}`)
    await writeFile(file('broken.pem'), own.cert.replace(/[A-Z]{3}/, '!!!'))
    await writeFile(file('nothing.pem'), '{}')
  })

  const tls = (cert: string, key: string) =>
    checkTlsFiles({ TLS_CERT_FILE: file(cert), TLS_KEY_FILE: file(key) })
  const ca = (name: string) => checkCaFile({ WEBHOOK_CA_FILE: file(name) })

  it('raise no fault when they are right, and are named by their variables when they are missing', () => {
    expect([...tls('cert.pem', 'key.pem'), ...ca('cert.pem'), ...ca('two.pem')]).to.deep.equal([])
    expect([...checkTlsFiles({}), ...checkCaFile({})]).to.deep.equal([])
    expect(tls('a.pem', 'b.pem')).to.deep.equal([
      'TLS_CERT_FILE: the file cannot be read (ENOENT)',
      'TLS_KEY_FILE: the file cannot be read (ENOENT)',
    ])
    expect(ca('a.pem')).to.deep.equal(['WEBHOOK_CA_FILE: the file cannot be read (ENOENT)'])
  })

  it('are named by their variables when they hold something else', () => {
    for (const [cert, key] of [
      ['cert.pem', 'other.pem'],
      ['cert.pem', 'nothing.pem'],
      ['nothing.pem', 'key.pem'],
      ['broken.pem', 'key.pem'],
    ] as const) {
      expect(tls(cert, key).join(), `${cert} ${key}`).to.match(/^TLS_CERT_FILE and TLS_KEY_FILE must be /)
    }
    for (const name of ['nothing.pem', 'key.pem', 'broken.pem']) {
      expect(ca(name), name).to.deep.equal(['WEBHOOK_CA_FILE must hold one or more certificates, PEM'])
    }
  })

  it('may be the authorities of the database, which every process reads and checks', () => {
    const database = (name: string) => checkDatabaseCaFile({ DATABASE_CA_FILE: file(name) })
    expect([...database('two.pem'), ...checkDatabaseCaFile({})]).to.deep.equal([])
    expect(database('a.pem')).to.deep.equal(['DATABASE_CA_FILE: the file cannot be read (ENOENT)'])
    expect(database('key.pem')).to.deep.equal(['DATABASE_CA_FILE must hold one or more certificates, PEM'])
    const environment = {
      DATABASE_URL: 'mysql://u:p@127.0.0.1/d',
      SECRETS_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
    }
    const named = { ...environment, DATABASE_CA_FILE: file('cert.pem') }
    expect(readConfig(named).databaseTls).to.deep.equal({ caFile: file('cert.pem') })
    for (const wrong of [{ DATABASE_CA_FILE: file('a.pem') }, { DATABASE_TLS: 'off' }]) {
      expect(() => readConfig({ ...named, ...wrong })).to.throw(ConfigError, /DATABASE_CA_FILE/)
    }
  })

  it('are listed together with all other faults', () => {
    const environment = { DATABASE_URL: 'x', SECRETS_KEYS: 'x', WEBHOOK_CA_FILE: file('a.pem') }
    expect(() => readConfig(environment, checkCaFile))
      .to.throw(ConfigError)
      .with.property('faults')
      .that.has.lengthOf(3)
  })
})
