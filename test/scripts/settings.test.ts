import { expect } from 'chai'
import { notableLine } from '../../scripts/demo/log-lines.mjs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { choosePorts, serviceEnvironment, serviceFile, serviceUrls } from '../../scripts/demo/settings.mjs'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { keepSecrets } from '../../scripts/lib/private-files.mjs'
import { variables } from '../../src/config/variables.ts'
import { readConfig } from '../../src/config/index.ts'
import { useTemporaryDirectory } from './support.ts'

describe('the settings of the demo', () => {
  const dir = useTemporaryDirectory()
  const parts = async () => ({
    ports: await choosePorts({}),
    databaseUrl: 'mysql://root:p@127.0.0.1:3310/sales_data',
    temporalAddress: '127.0.0.1:7233',
    secretsKeys: (await keepSecrets(`${dir.path}/secrets.env`)).SECRETS_KEYS,
    caFile: '/tmp/cert.pem',
  })

  it('are a configuration the service accepts', async () => {
    const given = await parts()
    const config = readConfig(serviceEnvironment({}, given))
    expect(config.port).to.equal(given.ports.api)
    expect(config.webhookRetryScheduleMs.slice(0, 2)).to.deep.equal([1000, 2000])
  })

  it('open this machine to webhooks at the ports of the receiver and of the benchmark only', async () => {
    const given = await parts()
    const env = serviceEnvironment({}, given)
    const { receiver, bench } = given.ports
    expect(env['WEBHOOK_ALLOWED_NETWORKS']).to.equal(`127.0.0.1/32:${receiver},127.0.0.1/32:${bench}`)
  })

  it('give way to what the user set; an empty value is not set', async () => {
    const env = serviceEnvironment(
      { PORT: '4000', WEBHOOK_RETRY_SCHEDULE: '5s', LOG_LEVEL: '' },
      await parts(),
    )
    expect(env).to.include({ PORT: '4000', WEBHOOK_RETRY_SCHEDULE: '5s' })
    expect(env).not.to.have.property('LOG_LEVEL')
  })

  it('give each process a port of its own, the user’s where one is set', async () => {
    const ports = await choosePorts({ WORKER_PORT: '45999' })
    expect(ports.worker).to.equal(45_999)
    expect(new Set(Object.values(ports)).size).to.equal(Object.keys(ports).length)
  })

  it('are in service.env, every one that is set, so that a further process has the same configuration', async () => {
    const example = await readFile(path.join(ROOT, '.env.example'), 'utf8')
    const user = {
      ...{
        WEBHOOK_TIMEOUT: '7s',
        RETENTION_DAYS: '9',
        KEY_PREFIX: 'otherprefix',
        METRICS_TOKEN: 'it\'s a "token"',
      },
      ...{
        TEMPORAL_TLS_SERVER_NAME: 'temporal.example.com',
        MYSQL_ROOT_PASSWORD: 'for compose',
        PATH: '/bin',
      },
    }
    const env = serviceEnvironment(user, await parts())
    const file = parseEnv(serviceFile(env, example)) as NodeJS.ProcessEnv
    expect(readConfig(file)).to.deep.equal(readConfig(env))
    expect(file).to.include({ METRICS_TOKEN: user.METRICS_TOKEN, RECEIVER_PORT: env['RECEIVER_PORT'] })
    expect(file).not.to.have.any.keys('MYSQL_ROOT_PASSWORD', 'PATH')
    const names = Object.keys((variables.describe() as { keys: object }).keys)
    const everything = Object.fromEntries(names.map((name) => [name, 'set']))
    expect(parseEnv(serviceFile(everything, example))).to.deep.equal(everything)
  })

  it('lead to a URL that can be called when a process listens everywhere', () => {
    expect(
      serviceUrls({ HOST: '0.0.0.0', PORT: '3000', WORKER_PORT: '3001', TLS_CERT_FILE: 'x' }),
    ).to.deep.equal({
      api: 'https://127.0.0.1:3000',
      worker: 'http://127.0.0.1:3001',
    })
  })
})

describe('a process’s line on the terminal', () => {
  it('is a log line of level warning or above, or a line that is no log line', () => {
    expect(notableLine('{"level":30,"msg":"listening"}')).to.equal(undefined)
    expect(notableLine('{"level":40,"msg":"slow"}')).to.equal('WARN slow')
    expect(notableLine('{"level":"error","msg":"lost","err":{"message":"ECONNRESET"}}')).to.equal(
      'ERROR lost ECONNRESET',
    )
    expect(notableLine('plain text')).to.equal('plain text')
    expect(notableLine('')).to.equal(undefined)
  })
})
