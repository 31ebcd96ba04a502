import { chmodSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { generate } from 'selfsigned'
import { checkCaFile, checkDatabaseCaFile, checkTlsFiles } from '../../../src/config/files.ts'
import { ConfigError, readConfig } from '../../../src/config/index.ts'
import { useTemporaryDirectory } from '../../support/temporary-directory.ts'

const DATABASE_URL = 'mysql://u:hunter2@127.0.0.1:3306/d'
const SECRETS_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`

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
    const missing = [...tls('a.pem', 'b.pem'), ...ca('a.pem')]
    const named = ['TLS_CERT_FILE', 'TLS_KEY_FILE', 'WEBHOOK_CA_FILE']
    expect(missing).to.deep.equal(named.map((name) => `${name}: the file cannot be read (ENOENT)`))
  })

  it('are named by their variables when they hold something else', () => {
    const pairs = ['cert other', 'cert nothing', 'nothing key', 'broken key'].map((pair) => pair.split(' '))
    for (const [cert, key] of pairs)
      expect(tls(`${cert}.pem`, `${key}.pem`).join()).to.match(/^TLS_CERT_FILE and TLS_KEY_FILE must be /)
    for (const name of ['nothing.pem', 'key.pem', 'broken.pem'])
      expect(ca(name), name).to.deep.equal(['WEBHOOK_CA_FILE must hold one or more certificates, PEM'])
  })

  it('may be the authorities of the database, which every process reads and checks', () => {
    const database = (name: string) => checkDatabaseCaFile({ DATABASE_CA_FILE: file(name) })
    expect([...database('two.pem'), ...checkDatabaseCaFile({})]).to.deep.equal([])
    expect(database('a.pem')).to.deep.equal(['DATABASE_CA_FILE: the file cannot be read (ENOENT)'])
    expect(database('key.pem')).to.deep.equal(['DATABASE_CA_FILE must hold one or more certificates, PEM'])
    const named = { DATABASE_URL, SECRETS_KEYS, DATABASE_CA_FILE: file('cert.pem') }
    expect(readConfig(named).databaseTls).to.deep.equal({ caFile: file('cert.pem') })
    for (const wrong of [{ DATABASE_CA_FILE: file('a.pem') }, { DATABASE_TLS: 'off' }])
      expect(() => readConfig({ ...named, ...wrong })).to.throw(ConfigError, /DATABASE_CA_FILE/)
  })

  it('are listed together with all other faults', () => {
    const environment = { DATABASE_URL: 'x', SECRETS_KEYS: 'x', WEBHOOK_CA_FILE: file('a.pem') }
    const refused = expect(() => readConfig(environment, checkCaFile)).to.throw(ConfigError)
    refused.with.property('faults').that.has.lengthOf(3)
  })
})

describe('settings from files', () => {
  const dir = useTemporaryDirectory('all tests')
  let files = 0
  const file = (text: string, mode = 0o640): string => {
    const name = path.join(dir.path, String(++files))
    writeFileSync(name, text)
    chmodSync(name, mode)
    return name
  }

  it('are taken without the line break at the end, those of Temporal too', () => {
    const config = readConfig({
      DATABASE_URL_FILE: file(`${DATABASE_URL}\n`),
      SECRETS_KEYS_FILE: file(`${SECRETS_KEYS}\r\n`),
      PORT_FILE: file('4000\n', 0o644),
      TEMPORAL_NAMESPACE_FILE: file('elsewhere', 0o644),
    })
    expect(config).to.include({ databaseUrl: DATABASE_URL, port: 4000 })
    expect(config.temporal.namespace).to.equal('elsewhere')
  })

  // decision: Settings from files
  it('are refused, each with what is wrong, when they cannot be taken or everybody may read a secret', () => {
    const open = {
      DATABASE_URL_FILE: file(DATABASE_URL, 0o644),
      NOTICE_URL_FILE: file('https://a.example/', 0o644),
      EGRESS_PROXY_FILE: file('http://a.example', 0o644),
    }
    const unread = { SECRETS_KEYS_FILE: path.join(dir.path, 'missing'), LOG_LEVEL_FILE: dir.path }
    const others = { HOST: '127.0.0.1', HOST_FILE: file('127.0.0.1'), PORT_FILE: file('hunter2', 0o644) }
    const mode =
      'every user of this machine may read the file. Take that away: chmod o-r, or mode 0440 where it is mounted'
    expect(() => readConfig({ ...open, ...unread, ...others, METRICS_TOKEN_FILE: file('\n') }))
      .to.throw(ConfigError)
      .with.property('faults')
      .that.has.members([
        ...Object.keys(open).map((name) => `${name}: ${mode}`),
        'HOST_FILE: set HOST or HOST_FILE, not both',
        'SECRETS_KEYS_FILE: the file cannot be read (ENOENT)',
        'LOG_LEVEL_FILE: the file cannot be read (EISDIR)',
        'METRICS_TOKEN_FILE: the file is empty',
        'PORT must be a number',
      ])
  })
})
