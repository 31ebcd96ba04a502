import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { isAnswering } from '../../../src/db/connection/checks.ts'
import { buildDeps, closeDatabase } from '../../../src/deps/deps.ts'
import { testDeps } from '../../support/database.ts'
import { requiredEnv } from '../../support/environment.ts'
import { runCommand } from '../../support/operator-commands.ts'
import { useTcpProxies } from '../../support/tcp-proxy.ts'
import type { Json } from '../../support/tenants.ts'
import { useCli } from '../../support/use-cli.ts'

/** test/db/cli/status.test.ts covers the output while all dependencies answer. */
describe('the status of the service', () => {
  const its = useCli()
  const troublesOf = (status: Json): string[] => status.troubles.map(({ trouble }: Json) => trouble)
  const proxyTo = useTcpProxies()
  const TEMPORAL_ADDRESS = requiredEnv('TEMPORAL_ADDRESS')
  /** Runs in this process, on a pool like the command's. `onConnected` acts on the connection before the query. */
  const statusAt = async (url: string, onConnected?: () => void): Promise<Json> => {
    const { config } = testDeps(its.database, { ...its.environment, TEMPORAL_ADDRESS, DATABASE_URL: url })
    const deps = buildDeps({ ...config, logLevel: 'silent' }, 'status', its.deps.temporal)
    if (onConnected) await isAnswering(deps.db)
    onConnected?.()
    const status = await runCommand(deps, 'status')
    await closeDatabase(deps)
    return status
  }

  // decision: The status of the service
  it('answers on one screen while the database or Temporal is away, hangs or is slow', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const urls = [1, port].map((at) => `mysql://a:b@127.0.0.1:${at}/c`)
    const slow = await proxyTo(its.database.url)
    const [late, screen, gone, hanging] = await Promise.all([
      // Each question has its own time limit.
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
})
