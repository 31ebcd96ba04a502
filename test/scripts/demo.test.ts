import { expect } from 'chai'
import { createUserArgs } from '../../scripts/demo/seed.mjs'
import { COMMANDS } from '../../src/cli/commands.ts'
import { parseCommandLine } from '../../src/cli/parse.ts'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import * as settings from '../../scripts/demo/settings.ts'
import { describeDemo } from '../../scripts/demo/launch.ts'
import { FIXED_PATHS } from '../../scripts/receiver/paths.ts'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { parseEnv } from 'node:util'
import { keepSecrets } from '../../scripts/lib/private-files.ts'
import { variables } from '../../src/config/variables.ts'
import { readConfig } from '../../src/config/index.ts'
import { useTemporaryDirectory } from './support.ts'

describe('the user of the demo', () => {
  it('is made whatever the random password begins with', () => {
    for (const password of ['-rX0', '--json', '=a']) {
      const args = createUserArgs('company', { email: 'a@example.com', password })
      const parsed = parseCommandLine(COMMANDS, args)
      expect(parsed.kind === 'run' && parsed.values['password'], password).to.equal(password)
    }
  })
})

const proof = (name: string, statuses: number[]) => ({
  path: name,
  deliveryId: 'del_…',
  eventId: 'evt_1',
  attempts: statuses.length,
  statuses,
  isVerified: true,
})
const PORTS = { PORT: '3000', WORKER_PORT: '3001', RECEIVER_PORT: '3002' }
const DEMO = {
  env: {
    ...PORTS,
    TEMPORAL_NAMESPACE: 'default',
    WEBHOOK_RETRY_SCHEDULE: settings.DEMO_RETRY_SCHEDULE,
  },
  demo: { key: 'salesdata_live_…', user: { email: 'demo@example.com', password: '…' } },
  temporalUi: 'http://127.0.0.1:8233',
  proofs: [proof('/healthy', [200]), proof('/fails-twice', [503, 503, 200])],
}

describe('what npm start prints at its end', () => {
  it('is what the README shows, and names every fixed path, and the delays of retries also when the user set them', async () => {
    const readme = await readFile(path.join(ROOT, 'README.md'), 'utf8')
    expect(readme).to.include(`\`\`\`${describeDemo(DEMO)}\`\`\``)
    const text = describeDemo({ ...DEMO, env: { ...PORTS, WEBHOOK_RETRY_SCHEDULE: '5s,5m' } })
    for (const { path: name, says } of FIXED_PATHS)
      expect(text).to.match(new RegExp(`^  ${name} +${says}$`, 'm'))
    expect(text).to.match(/^Retries +after 5s, 5m$/m)
  })
})

describe('the settings of the demo', () => {
  const dir = useTemporaryDirectory()
  const own = async () => ({
    DATABASE_URL: 'mysql://root:p@127.0.0.1:3310/sales_data',
    TEMPORAL_ADDRESS: '127.0.0.1:7233',
    SECRETS_KEYS: (await keepSecrets(`${dir.path}/secrets.env`)).SECRETS_KEYS,
    WEBHOOK_CA_FILE: '/tmp/cert.pem',
  })

  it('give way to what the user set, but for an empty value, give each process a port of its own, and open only that of the receiver to webhooks', async () => {
    const user = { PORT: '4000', WEBHOOK_RETRY_SCHEDULE: '5s', LOG_LEVEL: '' }
    const chosen = await settings.choosePorts({})
    const env = settings.serviceEnvironment(user, chosen, await own())
    expect(env).to.include({ PORT: '4000', WEBHOOK_RETRY_SCHEDULE: '5s' })
    expect(env).not.to.have.property('LOG_LEVEL')
    expect(env['WEBHOOK_ALLOWED_NETWORKS']).to.equal(`127.0.0.1/32:${chosen.receiver}`)
    const ports = await settings.choosePorts({ WORKER_PORT: '45999' })
    expect(ports.worker).to.equal(45_999)
    expect(new Set(Object.values(ports)).size).to.equal(Object.keys(ports).length)
  })

  it('are in service.env, every one that is set, so that a further process has the same configuration', async () => {
    const example = await readFile(path.join(ROOT, '.env.example'), 'utf8')
    const user = {
      WEBHOOK_TIMEOUT: '7s',
      METRICS_TOKEN: 'it\'s a "token"',
      TEMPORAL_TLS_SERVER_NAME: 'temporal.example.com',
      MYSQL_ROOT_PASSWORD: 'for compose',
      PATH: '/bin',
    }
    const env = settings.serviceEnvironment(user, await settings.choosePorts({}), await own())
    const file = parseEnv(settings.serviceFile(env, example)) as NodeJS.ProcessEnv
    expect(readConfig(file)).to.deep.equal(readConfig(env))
    expect(file).to.include({ METRICS_TOKEN: user.METRICS_TOKEN, RECEIVER_PORT: env['RECEIVER_PORT'] })
    expect(file).not.to.have.any.keys('MYSQL_ROOT_PASSWORD', 'PATH')
    const names = Object.keys((variables.describe() as { keys: object }).keys)
    const everything = Object.fromEntries(names.map((name) => [name, 'set']))
    expect(parseEnv(settings.serviceFile(everything, example))).to.deep.equal(everything)
  })
})
