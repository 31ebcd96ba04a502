import { randomBytes } from 'node:crypto'
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { run } from '../../scripts/lib/commands.mjs'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { freePorts } from '../../scripts/lib/ports.mjs'
import { endGroup, spawnGroup } from '../../scripts/lib/process-groups.mjs'
import { waitUntil } from '../../scripts/lib/ready.mjs'
import { makeCertificate } from '../../scripts/receiver/certificate.mjs'
import { countBoot } from '../support/boots.ts'
import { requiredEnv } from '../support/environment.ts'
import { useTemporaryDirectory } from '../support/temporary-directory.ts'
import { readCompose, REQUIRED, type Service } from './compose-file.ts'

/**
 * The commands of docker-compose.yml as they are written, in a folder laid out like the image, with the environment
 * compose gives them; only what names another container (host, port, database, secret's path) is put in place.
 */
describe('the commands of docker-compose.yml', function () {
  this.timeout(90_000)
  const dir = useTemporaryDirectory('all tests')
  let app: string
  let replaced: Record<string, string>
  const services = readCompose({
    ...Object.fromEntries(REQUIRED.map((name) => [name, 'x'])),
    SECRETS_KEYS: `prod-1:${randomBytes(32).toString('base64')}`,
  }).services

  before(async () => {
    app = dir.path
    await cp(path.join(ROOT, 'dist'), path.join(app, 'dist'), { recursive: true })
    await mkdir(path.join(app, 'scripts'))
    await cp(path.join(ROOT, 'scripts/healthcheck.mjs'), path.join(app, 'scripts/healthcheck.mjs'))
    await cp(path.join(ROOT, 'package.json'), path.join(app, 'package.json'))
    await symlink(path.join(ROOT, 'node_modules'), path.join(app, 'node_modules'))
    const { key, cert } = await makeCertificate()
    await writeFile(path.join(app, 'key.pem'), key)
    await writeFile(path.join(app, 'cert.pem'), cert)
    const url = new URL(requiredEnv('TEST_DATABASE_URL'))
    url.pathname = `/compose_${randomBytes(6).toString('hex')}`
    const [port, workerPort] = await freePorts([0, 0])
    replaced = {
      DATABASE_URL: url.href,
      TEMPORAL_ADDRESS: requiredEnv('TEMPORAL_ADDRESS'),
      TEMPORAL_NAMESPACE: `compose-${randomBytes(6).toString('hex')}`,
      PORT: String(port),
      WORKER_PORT: String(workerPort),
      TLS_CERT_FILE: path.join(app, 'cert.pem'),
      TLS_KEY_FILE: path.join(app, 'key.pem'),
    }
  })

  const environmentOf = ({ environment = {} }: Service): NodeJS.ProcessEnv => {
    const ours = Object.entries(replaced).filter(([name]) => name in environment)
    return { PATH: process.env['PATH'], NODE_ENV: 'production', ...environment, ...Object.fromEntries(ours) }
  }
  const service = (name: string) => services[name] ?? {}
  const isHealthy = async (name: string) => {
    const [kind, command = '', ...args] = service(name).healthcheck?.test ?? []
    expect(kind).to.equal('CMD')
    return (await run(command, args, { cwd: app, env: environmentOf(service(name)) })).code === 0
  }

  it('migrate creates the schema and can run again at every start', async () => {
    const [command = '', ...args] = service('migrate').command ?? []
    for (let i = 0; i < 2; i++) {
      const { code, output } = await run(command, args, { cwd: app, env: environmentOf(service('migrate')) })
      expect([code, code === 0 ? '' : output]).to.deep.equal([0, ''])
    }
  })

  for (const name of ['api', 'worker'] as const) {
    it(`${name} becomes healthy, is unhealthy without its process, and ends in time when told to`, async () => {
      expect(await isHealthy(name)).to.equal(false)
      const [command = '', ...args] = service(name).command ?? []
      const env = environmentOf(service(name))
      countBoot(name)
      const child = spawnGroup(command, args, { cwd: app, env, graceMs: 30_000 })
      let output = ''
      child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
      child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
      try {
        await waitUntil(name, async () => {
          if (child.exitCode !== null) throw new Error(`${name} ended:\n${output}`)
          return isHealthy(name)
        })
        await endGroup(child.pid)
        expect([child.exitCode, child.signalCode]).to.deep.equal([0, null])
      } finally {
        await endGroup(child.pid)
      }
    })
  }
})
