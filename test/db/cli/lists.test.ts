import { verify } from '@node-rs/argon2'
import { expect } from 'chai'
import { UsageError } from '../../../src/cli/command.ts'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { deleteCompany } from '../../../src/cli/delete-company.ts'
import { insertSession } from '../../../src/db/user/sessions.ts'
import { commandsOn, listInParts } from '../../support/operator-commands.ts'
import type { Json } from '../../support/tenants.ts'
import { refusalOf, useOperations } from '../../support/use-operations.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { LONGEST_REQUEST_MS } from '../../../src/operations/cost-limits.ts'
import { newId } from '../../../src/domain/ids.ts'
import { makeNotice } from '../../support/notices.ts'
import { words } from '../../support/words.ts'

const idsOf = ({ data }: Json): string[] => data.map(({ id }: Json) => id)

describe('the commands for companies, users, keys and the audit', () => {
  const its = useOperations()
  const { cli, usageError } = commandsOn(its)
  const company = () => `--company ${its.keyring.companyId}`
  const inParts = (text: string) => listInParts(its.deps, 1, ...words(text))

  it('list companies in parts, the newest first, and show one', async () => {
    const { id } = await cli('company create --name Acme')
    const listed = await inParts('company list')
    const ids = listed.map((found) => found.id as string)
    expect(ids).to.deep.equal(ids.toSorted().reverse())
    expect(listed[0]).to.include({ id, name: 'Acme', suspended_at: null })
    expect(await cli(`company show --id ${id}`)).to.deep.equal(listed[0])
    expect(await refusalOf(cli('company show --id com_1'))).to.equal('NOT_FOUND: Company not found.')
  })

  // decision: Suspended companies
  it('suspend a company, for which nothing can be published then, and resume it', async () => {
    const { companyId } = its.keyring
    const publish = () => cli(`event publish ${company()} --type contact.created --data {}`)
    const { suspended_at } = await cli(`company suspend --id ${companyId}`)
    expect(await cli(`company show --id ${companyId}`)).to.include({ suspended_at })
    const refusal = `INVALID_REQUEST: The company is suspended since ${suspended_at}: resume it first.`
    expect(await refusalOf(publish())).to.equal(refusal)
    expect(await cli(`company resume --id ${companyId}`)).to.include({ suspended_at: null })
    expect(await publish()).to.include({ deliveries: 0 })
  })

  it('list members by email, and nobody who left', async () => {
    for (const email of ['b@example.com', 'a@example.com']) await its.keyring.user(email)
    await cli(`user remove --id ${await its.keyring.user('c@example.com')}`)
    const members = await inParts(`user list ${company()}`)
    expect(members.map(({ email }) => email)).to.deep.equal(['a@example.com', 'b@example.com'])
  })

  // decision: Lower roles
  it('change roles, and disable Personal keys that are wider than the role permits', async () => {
    const create = `user create ${company()} --name A --email admin@example.com --role admin --password`
    const { id } = await cli(create, 'correct horse')
    const wide = await its.keyring.create({ userId: id, scopes: ['write:deals', 'read:all'] })
    const narrow = await its.keyring.create({ userId: id, scopes: ['read:all'] })
    const update = (text: string, ...more: string[]) => cli(`user update --id ${id} ${text}`, ...more)
    const lowered = await update('--role member --allow-scopes write:deals --name B')
    expect(lowered).to.include({ id, role: 'member', name: 'B', disabled_keys: 0 })
    const narrowed = await update('--allow-scopes', '')
    expect([narrowed.allowed_scopes, narrowed.disabled_keys]).to.deep.equal([[], 1])
    const states = [await its.keyring.show(wide.id), await its.keyring.show(narrow.id)]
    expect(states.map(({ state }) => state)).to.deep.equal(['disabled', 'active'])
    expect((await its.audited(wide.id)).at(-1)).to.include('role_lowered')
    expect(await refusalOf(update('--allow-scopes write:all'))).to.match(/^VALIDATION_ERROR: "write:all"/)
  })

  // decision: The second factor
  it('unlock a second factor, which the audit tells once', async () => {
    const id = await its.keyring.user('locked@example.com')
    await its.set('users', { id }, { totp_locked_at: new Date() })
    for (let times = 0; times < 2; times++)
      expect(await cli(`user update --id ${id} --unlock-totp`)).to.include({ totp_locked_at: null })
    expect(await its.actions(id)).to.deep.equal(['user.create', 'user.totp_unlock'])
  })

  // decision: A forgotten password
  it('set another password and end every session of the user', async () => {
    const id = await its.keyring.user('forgetful@example.com')
    const { db } = its.database
    const session = { idHash: Buffer.alloc(32, 9), companyId: its.keyring.companyId, userId: id }
    await insertSession(db, { ...session, now: new Date() })
    const reset = (password: string) => cli(`user reset-password --id ${id} --password`, password)
    expect(await refusalOf(reset('12345678'))).to.match(/^VALIDATION_ERROR/)
    expect((await reset('another pass phrase')).id).to.equal(id)
    const { password_hash } = await db('users').where({ id }).first()
    expect(await verify(password_hash, 'another pass phrase')).to.equal(true)
    expect(await db('console_sessions').where({ user_id: id })).to.deep.equal([])
  })

  it('list the audit in parts, newest first', async () => {
    const { id } = await its.keyring.create()
    await its.keyring.change(id, { name: 'renamed' })
    await its.keyring.revoke(id)
    const list = `audit list ${company()}`
    const entries = await inParts(list)
    const actions = entries.map(({ action }) => action)
    expect(actions.slice(0, 3)).to.deep.equal(['key.revoke', 'key.update', 'key.create'])
    const renamed = `${list} --action key.update --target ${id} --actor cli --since 2020-01-01`
    expect(await inParts(renamed)).to.deep.equal([entries[1]])
    expect(await usageError(`${list} --actor Ann`)).to.match(/^--actor must be/)
    expect(await usageError(`${list} --export csv --limit 5`)).to.match(/^--export prints every entry/)
    const lines = ((await cli(`${list} --export jsonl`)) as string).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).action as string)).to.deep.equal(actions)
    const csv = ((await cli(`${renamed} --export csv`)) as string).split('\r\n')
    expect(csv).to.have.length(3)
    expect(csv[1]).to.include('"name: test key -> renamed"')
    const exports = (await inParts(`${list} --action audit.export`)).map(({ details }) => details.format)
    expect(exports).to.deep.equal(['csv', 'jsonl'])
  })

  // decision: Lists on the command line
  it('print {data, pagination} for every list', async () => {
    for (const { name, options } of COMMANDS.filter((command) => command.name.endsWith(' list'))) {
      const { data, pagination } = await cli(`${name} ${'company' in options ? company() : ''}`)
      expect(data, name).to.be.an('array')
      expect(pagination, name).to.have.all.keys('limit', 'has_more', 'next_cursor')
    }
  })

  it('list keys in one state', async () => {
    const [, { id }] = [await its.keyring.create(), await its.keyring.create()]
    await its.keyring.revoke(id)
    const list = `key list ${company()} --state`
    expect(idsOf(await cli(`${list} revoked`))).to.deep.equal([id])
    expect(await usageError(`${list} dead`)).to.match(/^--state must be one of active, /)
  })

  // decision: Expiry of a key in rotation
  it('change when a key expires, not to the past and not while it is in rotation', async () => {
    const { id } = await its.keyring.create()
    const expire = (at: string) => cli(`key update --id ${id} --expires-at ${at}`)
    expect(await expire('2099-01-31')).to.include({ expires_at: '2099-01-31T00:00:00.000Z' })
    expect(await refusalOf(expire('2020-01-31'))).to.match(/^VALIDATION_ERROR: "expires_at" must be in/)
    expect(await refusalOf(expire('tomorrow'))).to.match(/^VALIDATION_ERROR: --expires-at must be an ISO/)
    await cli(`key rotate --id ${id} --grace 1h`)
    expect(await refusalOf(expire('2099-01-31'))).to.match(/^INVALID_REQUEST: .* in rotation/)
  })
})

// decision: Notices for the operator
describe('the command notice list', () => {
  const its = useOperations()
  beforeEach(() => its.db('notices').delete())
  const { cli, usageError } = commandsOn(its)
  const list = async (text: string) => idsOf(await cli(`notice list ${text}`))
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))

  /** A notice of the company in each environment, then one of another company and one for the operator. */
  async function makeAll(): Promise<string[]> {
    const { db } = its.database
    const { companyId } = its.keyring
    const other = { companyId: newId('company'), environment: 'live' as const }
    return [
      await makeNotice(db, { companyId, environment: 'live' }, 'webhook_gone', { createdAt: at(1) }),
      await makeNotice(db, other, 'deliveries_failed', { total: 3, createdAt: at(2) }),
      await makeNotice(db, null, 'most_endpoints_fail', { targetId: '', total: 4, createdAt: at(3) }),
      await makeNotice(db, { companyId, environment: 'test' }, 'key_expires_in_1_day', { createdAt: at(4) }),
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
    expect(await list(`--company ${companyId}`)).to.deep.equal([test, live])
    expect(await list('--kind most_endpoints_fail,webhook_gone')).to.deep.equal([operators, live])
    expect(await list(`--company ${companyId} --kind webhook_gone`)).to.deep.equal([live])
  })

  it('refuses an unknown company, and takes a wrong kind for wrong usage', async () => {
    const unknown = refusalOf(list(`--company ${newId('company')}`))
    expect(await unknown).to.equal('NOT_FOUND: Company not found.')
    const wrongUsage = /^--kind must be one or more of webhook_failing, /
    expect(await usageError('notice list --kind webhook_lost')).to.match(wrongUsage)
  })
})

describe('deleting a company without a worker', () => {
  const its = useOperations()

  /** Suspends the company of the test so long ago that no earlier request can still be under way. */
  const suspendedLong = () => {
    const suspended_at = new Date(Date.now() - LONGEST_REQUEST_MS)
    return its.set('companies', { id: its.keyring.companyId }, { suspended_at })
  }
  const remove = () =>
    commandsOn(its).cli(`company delete --yes-delete-everything --id ${its.keyring.companyId}`)

  it('is refused while deliveries may be under way, and done where there is no webhook', async () => {
    await its.newWebhook()
    await suspendedLong()
    expect(await refusalOf(remove())).to.match(/^SERVICE_UNAVAILABLE: No worker lives/)
    await its.empty('webhooks')
    expect((await remove()).deleted).to.equal(true)
  })

  it('asks on a terminal for the id, and elsewhere needs the flag', async () => {
    const { companyId } = its.keyring
    /** undefined means that the command cannot ask anybody. */
    const answered = (answer?: string) => {
      const ignore = () => undefined
      const terminal = answer === undefined ? undefined : { ask: () => Promise.resolve(answer) }
      const progress = { show: ignore, end: ignore, print: ignore }
      const unused = { secrets: {} as never, probes: {} as never, write: () => Promise.resolve(true) }
      const parts = { deps: its.deps, actor: COMMAND_LINE, terminal, progress, ...unused }
      return deleteCompany(parts, companyId, {})
    }
    expect(await answered().catch((error: unknown) => error)).to.be.instanceOf(UsageError)
    expect(await refusalOf(answered('yes'))).to.equal('INVALID_REQUEST: Nothing was deleted.')
    expect(await its.db('companies').where({ id: companyId }).first()).to.include({ suspended_at: null })
    await suspendedLong()
    expect(await answered(companyId)).to.deep.equal({})
  })
})
