import { expect } from 'chai'
import { kill } from './crashes.ts'
import { untilThere } from './poll.ts'
import { useTcpProxies } from './tcp-proxy.ts'
import { clientOf, createTestTenant, type TestTenant } from './tenants.ts'
import type { StackInUse } from './use-stack.ts'

type Crash = {
  /** Makes the request. */
  readonly send: (client: TestTenant) => Promise<unknown>
  /** Text of the first statement of the work. */
  readonly statement: string
  /** Waits until the database has carried out the COMMIT; without it the database never gets that. */
  readonly untilCommitted?: (() => Promise<unknown>) | undefined
}

/** Has a request carried out by an api of its own, which is killed at the COMMIT of that work. Register it before the tests. */
export function useCrashAtCommit(use: StackInUse): (crash: Crash) => Promise<TestTenant> {
  const createProxy = useTcpProxies()
  /** @returns the company with the key that made the request, at the api that goes on */
  return async ({ send, statement, untilCommitted }) => {
    const { db, api, environment } = use.stack
    const { companyId } = use.tenant.tenant
    const url = environment['DATABASE_URL'] ?? ''
    const database = await createProxy(url)
    const dying = await use.stack.spawnApi({ DATABASE_URL: database.through(url) })
    const client = await createTestTenant(db, api.url, { companyId })
    const held = database.holdAt('toServer', statement)
    const cutOff = send({ ...client, request: clientOf(dying.url, client.key) }).catch(() => 'cut off')
    await held
    // The api also commits the usage of the key. After that commit, the next COMMIT is that of the work.
    await untilThere(() => db('api_key_usage').where({ key_id: client.keyId }), 1)
    await database.pass('toServer')
    // Knex writes a semicolon after COMMIT. So this does not match the READ COMMITTED of a new connection.
    await database.holdAt('toServer', 'COMMIT;')
    if (untilCommitted) {
      database.stall('toClient')
      await database.pass('toServer')
      await untilCommitted()
    }
    await kill(dying)
    expect(await cutOff).to.equal('cut off')
    return client
  }
}
