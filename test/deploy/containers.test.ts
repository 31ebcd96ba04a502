import { randomBytes } from 'node:crypto'
import { chmod, chown, copyFile, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { layOutImage } from '../../scripts/image-tree.mjs'
import { run } from '../../scripts/lib/commands.ts'
import { freePorts } from '../../scripts/lib/ports.ts'
import { endGroup, spawnGroup } from '../../scripts/lib/processes.ts'
import { waitUntil } from '../../scripts/lib/ready.ts'
import { makeCertificate } from '../../scripts/receiver/certificate.ts'
import { connect } from '../../src/db/connection/connection.ts'
import { countBoot, requiredEnv } from '../support/environment.ts'
import { asServiceAccount } from '../support/service-account.ts'
import { useTemporaryDirectory } from '../support/temporary-directory.ts'
import type { Json } from '../support/tenants.ts'
import { readCompose, REQUIRED } from './compose-file.ts'

/** The image's user, where the test process may switch users. */
const asUser = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {}

/**
 * Runs the commands of docker-compose.yml unchanged on a read-only copy of the image's files, as the image's user, with
 * compose's environment. It replaces only references to other containers (host, port, database, path of the secret).
 */
describe('the commands of docker-compose.yml', function () {
  this.timeout(90_000)
  // Let this user remove the folder, because otherwise only root could.
  after(() => run('chmod', ['-R', 'u+w', app]))
  const dir = useTemporaryDirectory('all tests')
  let app: string
  let replaced: Record<string, string>
  let owner: string
  const services = readCompose({
    ...Object.fromEntries(REQUIRED.map((name) => [name, 'x'])),
    SECRETS_KEYS: `prod-1:${randomBytes(32).toString('base64')}`,
  }).services

  before(async () => {
    app = path.join(dir.path, 'app')
    await layOutImage(app)
    await Promise.all(['bin', 'tmp'].map((name) => mkdir(path.join(dir.path, name))))
    // The image's user may not be allowed to read the folder of our own node.
    await copyFile(process.execPath, path.join(dir.path, 'bin', 'node'))
    const { key, cert } = await makeCertificate()
    await writeFile(path.join(app, 'key.pem'), key, { mode: 0o400 })
    await writeFile(path.join(app, 'cert.pem'), cert)
    if (asUser.uid !== undefined) await chown(path.join(app, 'key.pem'), asUser.uid, asUser.gid)
    await chmod(path.join(dir.path, 'tmp'), 0o777)
    await chmod(dir.path, 0o755)
    expect((await run('chmod', ['-R', 'a-w', app])).code).to.equal(0)
    const url = new URL(requiredEnv('TEST_DATABASE_URL'))
    url.pathname = `/t_compose_${randomBytes(6).toString('hex')}`
    const [port, workerPort] = await freePorts([0, 0])
    owner = url.href
    replaced = {
      DATABASE_URL: await asServiceAccount(url.href),
      TEMPORAL_ADDRESS: requiredEnv('TEMPORAL_ADDRESS'),
      TEMPORAL_NAMESPACE: `compose-${randomBytes(6).toString('hex')}`,
      PORT: String(port),
      WORKER_PORT: String(workerPort),
      TLS_CERT_FILE: path.join(app, 'cert.pem'),
      TLS_KEY_FILE: path.join(app, 'key.pem'),
    }
  })

  const environmentOf = ({ environment = {} }: Json): NodeJS.ProcessEnv => {
    const ours = Object.entries(replaced).filter(([name]) => name in environment)
    const PATH = `${path.join(dir.path, 'bin')}:/usr/bin:/bin`
    const image = { PATH, TMPDIR: path.join(dir.path, 'tmp'), NODE_ENV: 'production' }
    return { ...image, ...environment, ...Object.fromEntries(ours) }
  }
  const service = (name: string) => services[name] ?? {}
  const isHealthy = async (name: string) => {
    const [kind, command = '', ...args] = service(name).healthcheck?.test ?? []
    expect(kind).to.equal('CMD')
    return (await run(command, args, { cwd: app, env: environmentOf(service(name)), ...asUser })).code === 0
  }

  it('migrate creates the schema and can run again at every start', async () => {
    const [command = '', ...args] = service('migrate').command ?? []
    const env = { ...environmentOf(service('migrate')), DATABASE_URL: owner }
    for (let i = 0; i < 2; i++) {
      const { code, output } = await run(command, args, { cwd: app, env, ...asUser })
      expect([code, code === 0 ? '' : output]).to.deep.equal([0, ''])
    }
  })

  // decision: Two accounts of the database and no second setting
  it('api and worker get an account that changes rows and no table', async () => {
    const db = connect(environmentOf(service('api'))['DATABASE_URL']!)
    try {
      expect(await db('workers').where({ id: 'none' }).delete()).to.equal(0)
      const changes = ['CREATE TABLE t (n INT)', 'ALTER TABLE workers ADD n INT', 'DROP TABLE workers']
      for (const change of changes)
        expect(await db.raw(change).catch(String), change).to.match(/command denied/)
    } finally {
      await db.destroy()
    }
  })

  for (const name of ['api', 'worker'] as const)
    it(`${name}, whose account cannot change the schema, becomes healthy, is unhealthy without its process, and ends in time when told to`, async () => {
      expect(await isHealthy(name)).to.equal(false)
      const [command = '', ...args] = service(name).command ?? []
      const env = environmentOf(service(name))
      countBoot()
      const child = spawnGroup(command, args, { cwd: app, env, graceMs: 30_000, ...asUser })
      let output = ''
      child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
      child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
      try {
        const isUp = async () => {
          if (child.exitCode !== null) throw new Error(`${name} ended:\n${output}`)
          return isHealthy(name)
        }
        // Each check starts a process.
        await waitUntil(name, isUp, { intervalMs: 500 })
        await endGroup(child.pid)
        expect([child.exitCode, child.signalCode]).to.deep.equal([0, null])
      } finally {
        await endGroup(child.pid)
      }
    })
})
