import { verify } from '@node-rs/argon2'
import { expect } from 'chai'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { insertSession } from '../../../src/db/user/sessions.ts'
import { listInParts, runCommand, usageErrorOf } from '../../support/operator-commands.ts'
import { refusalOf } from '../../support/refusals.ts'
import type { Json } from '../../support/tenants.ts'
import { useOperations } from '../../support/use-operations.ts'
import { newId } from '../../../src/domain/ids.ts'
import { makeNotice } from '../../support/notices.ts'

describe('the commands for companies, users, keys and the audit', () => {
  const its = useOperations()
  const cli = (...args: string[]): Promise<Json> => runCommand(its.deps, ...args)
  const company = () => ['--company', its.keyring.companyId]

  const inParts = (...args: string[]) => listInParts(its.deps, 1, ...args)

  it('list companies in parts, the newest first, and show one', async () => {
    const { id } = await cli('company', 'create', '--name', 'Acme')
    const listed = await inParts('company', 'list')
    const ids = listed.map((found) => found.id as string)
    expect(ids).to.deep.equal(ids.toSorted().reverse())
    expect(listed[0]).to.include({ id, name: 'Acme', suspended_at: null })
    expect(await cli('company', 'show', '--id', id)).to.deep.equal(listed[0])
    expect(await refusalOf(cli('company', 'show', '--id', 'com_1'))).to.equal('NOT_FOUND: Company not found.')
  })

  // decision: Suspended companies
  it('suspend a company, for which nothing can be published then, and resume it', async () => {
    const { companyId } = its.keyring
    const publish = () => cli('event', 'publish', ...company(), '--type', 'contact.created', '--data', '{}')
    const { suspended_at } = await cli('company', 'suspend', '--id', companyId)
    expect(await cli('company', 'show', '--id', companyId)).to.include({ suspended_at })
    const refusal = `INVALID_REQUEST: The company is suspended since ${suspended_at}: resume it first.`
    expect(await refusalOf(publish())).to.equal(refusal)
    expect(await cli('company', 'resume', '--id', companyId)).to.include({ suspended_at: null })
    expect(await publish()).to.include({ deliveries: 0 })
  })

  it('list members by email, and nobody who left', async () => {
    const create = (email: string) =>
      cli('user', 'create', ...company(), '--email', email, '--name', 'A', '--password', 'correct horse')
    for (const email of ['b@example.com', 'a@example.com']) await create(email)
    const { id } = await create('c@example.com')
    await cli('user', 'remove', '--id', id)
    const members = await inParts('user', 'list', ...company())
    expect(members.map(({ email }) => email)).to.deep.equal(['a@example.com', 'b@example.com'])
  })

  // decision: Lower roles
  it('change roles, and disable Personal keys that are wider than the role permits', async () => {
    const create = ['user', 'create', ...company(), '--name', 'A', '--password', 'correct horse']
    const { id } = await cli(...create, '--email', 'admin@example.com', '--role', 'admin')
    const wide = await its.keyring.create({ userId: id, scopes: ['write:deals', 'read:all'] })
    const narrow = await its.keyring.create({ userId: id, scopes: ['read:all'] })
    const update = (...args: string[]) => cli('user', 'update', '--id', id, ...args)
    const lowered = await update('--role', 'member', '--allow-scopes', 'write:deals', '--name', 'B')
    expect(lowered).to.include({ id, role: 'member', name: 'B', disabled_keys: 0 })
    const narrowed = await update('--allow-scopes', '')
    expect([narrowed.allowed_scopes, narrowed.disabled_keys]).to.deep.equal([[], 1])
    expect((await cli('key', 'show', '--id', wide.id)).state).to.equal('disabled')
    expect((await cli('key', 'show', '--id', narrow.id)).state).to.equal('active')
    expect((await its.audited(wide.id)).at(-1)).to.include('role_lowered')
    expect(await refusalOf(update('--allow-scopes', 'write:all'))).to.match(/^VALIDATION_ERROR: "write:all"/)
  })

  // decision: The second factor
  it('unlock a second factor, which the audit tells once', async () => {
    const id = await its.keyring.user('locked@example.com')
    await its.set('users', { id }, { totp_locked_at: new Date() })
    for (let times = 0; times < 2; times++) {
      expect(await cli('user', 'update', '--id', id, '--unlock-totp')).to.include({ totp_locked_at: null })
    }
    expect(await its.actions(id)).to.deep.equal(['user.create', 'user.totp_unlock'])
  })

  // decision: A forgotten password
  it('set another password and end every session of the user', async () => {
    const id = await its.keyring.user('forgetful@example.com')
    const { db } = its.database
    const session = { idHash: Buffer.alloc(32, 9), companyId: its.keyring.companyId, userId: id }
    await insertSession(db, { ...session, now: new Date() })
    const reset = (password: string) => cli('user', 'reset-password', '--id', id, '--password', password)
    expect(await refusalOf(reset('12345678'))).to.match(/^VALIDATION_ERROR/)
    expect((await reset('another pass phrase')).id).to.equal(id)
    const { password_hash } = await db('users').where({ id }).first()
    expect(await verify(password_hash, 'another pass phrase')).to.equal(true)
    expect(await db('console_sessions').where({ user_id: id })).to.deep.equal([])
  })

  it('list the audit in parts, newest first', async () => {
    const { id } = await its.keyring.create()
    await cli('key', 'update', '--id', id, '--name', 'renamed')
    await cli('key', 'revoke', '--id', id)
    const list = ['audit', 'list', ...company()]
    const entries = await inParts(...list)
    const actions = entries.map(({ action }) => action)
    expect(actions.slice(0, 3)).to.deep.equal(['key.revoke', 'key.update', 'key.create'])
    const renamed = ['--action', 'key.update', '--target', id, '--actor', 'cli', '--since', '2020-01-01']
    expect(await inParts(...list, ...renamed)).to.deep.equal([entries[1]])
    expect(await usageErrorOf(its.deps, ...list, '--actor', 'Ann')).to.match(/^--actor must be/)
    const both = [...list, '--export', 'csv', '--limit', '5']
    expect(await usageErrorOf(its.deps, ...both)).to.match(/^--export prints every entry/)
    const lines = ((await cli(...list, '--export', 'jsonl')) as string).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).action as string)).to.deep.equal(actions)
    const csv = ((await cli(...list, ...renamed, '--export', 'csv')) as string).split('\r\n')
    expect(csv).to.have.length(3)
    expect(csv[1]).to.include('"name: test key -> renamed"')
    const exports = (await inParts(...list, '--action', 'audit.export')).map(({ details }) => details.format)
    expect(exports).to.deep.equal(['csv', 'jsonl'])
  })

  // decision: Lists on the command line
  it('print {data, pagination} for every list', async () => {
    for (const { name, options } of COMMANDS.filter((command) => command.name.endsWith(' list'))) {
      const { data, pagination } = await cli(...name.split(' '), ...('company' in options ? company() : []))
      expect(data, name).to.be.an('array')
      expect(pagination, name).to.have.all.keys('limit', 'has_more', 'next_cursor')
    }
  })

  it('list keys in one state', async () => {
    await its.keyring.create()
    const { id } = await its.keyring.create()
    await cli('key', 'revoke', '--id', id)
    const list = ['key', 'list', ...company(), '--state']
    const { data } = await cli(...list, 'revoked')
    expect(data.map((key: Json) => key.id)).to.deep.equal([id])
    expect(await usageErrorOf(its.deps, ...list, 'dead')).to.match(/^--state must be one of active, /)
  })

  // decision: Expiry of a key in rotation
  it('change when a key expires, not to the past and not while it is in rotation', async () => {
    const { id } = await its.keyring.create()
    const expire = (at: string) => cli('key', 'update', '--id', id, '--expires-at', at)
    expect(await expire('2099-01-31')).to.include({ expires_at: '2099-01-31T00:00:00.000Z' })
    expect(await refusalOf(expire('2020-01-31'))).to.match(/^VALIDATION_ERROR: "expires_at" must be in/)
    expect(await refusalOf(expire('tomorrow'))).to.match(/^VALIDATION_ERROR: --expires-at must be an ISO/)
    await cli('key', 'rotate', '--id', id, '--grace', '1h')
    expect(await refusalOf(expire('2099-01-31'))).to.match(/^INVALID_REQUEST: .* in rotation/)
  })
})

// decision: Notices for the operator
describe('the command notice list', () => {
  const its = useOperations()
  beforeEach(() => its.db('notices').delete())
  const cli = (...args: string[]): Promise<Json> => runCommand(its.deps, 'notice', 'list', ...args)
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
  const idsOf = ({ data }: Json): string[] => data.map(({ id }: Json) => id)

  /** A notice of the company in each environment, one of another company, and one for the operator; the oldest first. */
  async function makeAll(): Promise<string[]> {
    const { db } = its.database
    const { companyId } = its.keyring
    const other = { companyId: newId('company'), environment: 'live' as const }
    return [
      await makeNotice(db, { companyId, environment: 'live' }, 'webhook_gone', { createdAt: at(1) }),
      await makeNotice(db, other, 'deliveries_failed', { total: 3, createdAt: at(2) }),
      await makeNotice(db, null, 'most_endpoints_fail', { targetId: '', total: 4, createdAt: at(3) }),
      await makeNotice(db, { companyId, environment: 'test' }, 'key_expires_in_1_day', {
        targetId: newId('apiKey'),
        at: at(50),
        createdAt: at(4),
      }),
    ]
  }

  it('lists those of all companies and those for the operator, newest first, those of one company alone, and those of some kinds', async () => {
    const ids = await makeAll()
    const [live, , operators, test] = ids
    const { companyId } = its.keyring
    const found = await listInParts(its.deps, 3, 'notice', 'list')
    expect(idsOf({ data: found })).to.deep.equal(ids.toReversed())
    expect(found[0]).to.include({ company_id: companyId, environment: 'test' })
    expect(found[1]).to.include({ kind: 'most_endpoints_fail', company_id: null, environment: null })
    expect(idsOf(await cli('--company', companyId))).to.deep.equal([test, live])
    expect(idsOf(await cli('--kind', 'most_endpoints_fail,webhook_gone'))).to.deep.equal([operators, live])
    expect(idsOf(await cli('--company', companyId, '--kind', 'webhook_gone'))).to.deep.equal([live])
  })

  it('refuses an unknown company, and takes a wrong kind for wrong usage', async () => {
    expect(await refusalOf(cli('--company', newId('company')))).to.equal('NOT_FOUND: Company not found.')
    const wrong = await usageErrorOf(its.deps, 'notice', 'list', '--kind', 'webhook_lost')
    expect(wrong).to.match(/^--kind must be one or more of webhook_failing, /)
  })
})
