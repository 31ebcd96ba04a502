import { expect } from 'chai'
import type { SystemDb } from '../../../src/db/connection/connection.ts'
import { useKeys } from '../../support/use-keys.ts'
import { runCommand } from '../../support/operator-commands.ts'
import { withApi, usePart, useStack } from '../../support/use-stack.ts'
import { words } from '../../support/words.ts'

describe('secrecy of API keys', () => {
  const use = useStack('talkative')
  /** The test ends this api, so that it writes everything. */
  const api = usePart(() => use.stack.startApi())
  const its = useKeys(() => withApi(use.stack, api()))

  it('leaves no full key in the database or in any log, after creation, use, misuse, rotation and revocation', async () => {
    const cli = (...args: string[]) => runCommand(its.deps, ...args)
    const { id: company } = await cli('company', 'create', '--name', 'Secret keepers')
    const options = `--company ${company} --email a@example.com --name A --password`
    const { id: user } = await cli(...words(`user create ${options}`), 'correct horse battery')
    const create = (...more: string[]) =>
      cli('key', 'create', '--company', company, '--name', 'k', '--scopes', 'admin:all', ...more)
    const shared = await create()
    const personal = await create('--user', user, '--env', 'test')
    const replacement = await cli('key', 'rotate', '--id', shared.id, '--grace', '1h')
    const secrets = [shared.key, personal.key, replacement.key]
    for (const secret of secrets) await misuse(secret)
    await cli('key', 'revoke', '--id', replacement.id)
    await cli('user', 'remove', '--id', user)
    for (const secret of secrets) await misuse(secret)
    const shown = JSON.stringify([await cli('key', 'list', '--company', company)])
    await api().stop()

    const stored = await dump(use.stack.db)
    const logged = [api(), ...use.stack.workers].map((running) => running.output()).join('\n')
    for (const secret of secrets) {
      expect(stored).to.include(secret.slice(0, 24))
      // The service may store 24 characters of a key. So a search for 25 finds every longer part.
      for (const text of [stored, logged, shown]) expect(text).to.not.include(secret.slice(0, 25))
      expect(logged).to.not.include(secret.slice(-16))
      expect(stored).to.not.include(secret.slice(-16))
    }
    expect(stored + logged).to.not.include('correct horse battery')
  })

  /** Uses a key, and puts it into places where a key does not belong. */
  async function misuse(secret: string): Promise<void> {
    const headers = { 'content-type': 'application/json', 'x-request-id': `${secret}!` }
    const body = JSON.stringify({ name: 5, api_key: secret })
    await its.callWith(secret)
    await its.callWith(secret, { path: `/api-v1-webhooks?key=${secret}` })
    await its.callWith(secret, { path: `/api-v1-webhooks/${secret}` })
    await its.callWith(secret, { method: 'POST', headers, body })
    await its.callWith(`${secret}x`)
    await its.call({ headers: { authorization: `Basic ${secret}` } })
  }

  /** Every value of every row of every table, binary values as text and in hexadecimal. */
  async function dump(db: SystemDb): Promise<string> {
    const [tables] = (await db.raw('SHOW TABLES')) as [Record<string, string>[]]
    const names = tables.map((table) => Object.values(table)[0] ?? '')
    const rows = await Promise.all<Record<string, unknown>[]>(names.map((name) => db(name)))
    return rows
      .flat()
      .flatMap((row) => Object.values(row))
      .map((value) =>
        Buffer.isBuffer(value) ? `${value.toString('utf8')} ${value.toString('hex')}` : String(value),
      )
      .join('\n')
  }
})
