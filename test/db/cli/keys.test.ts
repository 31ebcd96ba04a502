import { expect } from 'chai'
import { describeFailure } from '../../../src/cli/run.ts'
import { connect } from '../../../src/db/connection/connection.ts'
import type { SystemDeps } from '../../../src/deps/deps.ts'
import { testDeps } from '../../support/database.ts'
import { commandsOn, runCommand } from '../../support/operator-commands.ts'
import type { Json } from '../../support/tenants.ts'
import { useOperations } from '../../support/use-operations.ts'
import { words } from '../../support/words.ts'

const RECORD_FIELDS = words(`
  id name description prefix scopes type user_id environment state is_active
  ip_allowlist expires_at revoked_at rotated_to created_at last_used_at last_used_ip request_count usage`)

describe('the commands for keys, users and events', () => {
  const its = useOperations()
  const { cli } = commandsOn(its)
  const company = () => `--company ${its.keyring.companyId}`
  const createKey = (more = ''): Promise<Json> =>
    cli(`key create ${company()} --name k --scopes read:webhooks ${more}`)
  /** The exit code and message of a failed command, such as `1 NOT_FOUND: API key not found.`. */
  const failureOf = async (deps: SystemDeps, ...args: string[]) => {
    const failure = await runCommand(deps, ...args).then(() => undefined, describeFailure)
    return `${failure?.exitCode} ${failure?.code}: ${failure?.message}`
  }

  it('key create prints id and key, with --env live and type Shared as defaults, and takes every option; with --user the type is Personal', async () => {
    const created = await createKey()
    expect(Object.keys(created)).to.deep.equal(['id', 'key'])
    expect(created.key).to.match(/^salesdata_live_[A-Za-z0-9]{32}$/)
    const shown = await cli(`key show --id ${created.id}`)
    expect(shown).to.include({ prefix: created.key.slice(0, 24), type: 'Shared', environment: 'live' })
    const fresh = { state: 'active', user_id: null, expires_at: null, ip_allowlist: [], request_count: 0 }
    expect(shown).to.deep.include(fresh)
    const options = `${company()} --email b@example.com --name B --role admin --password`
    const user = await cli(`user create ${options}`, 'correct horse')
    expect(Object.keys(user)).to.deep.equal(['id'])
    expect(await its.db('users').where({ id: user.id }).first()).to.include({ role: 'admin' })
    const { id, key } = await createKey(
      `--user ${user.id} --env test --expires-at 2099-01-31T12:00:00+02:00 --allow 10.0.0.0/8,::1 --description nightly`,
    )
    expect(key).to.match(/^salesdata_test_/)
    const given = { description: 'nightly', expires_at: '2099-01-31T10:00:00.000Z', environment: 'test' }
    const of = { user_id: user.id, type: 'Personal', ip_allowlist: ['10.0.0.0/8', '::1'] }
    expect(await cli(`key show --id ${id}`)).to.deep.include({ ...of, ...given })
    expect(await cli(`user remove --id ${user.id}`)).to.deep.equal({ removed: true, revoked_keys: 1 })
    expect((await cli(`key show --id ${id}`)).state).to.equal('revoked')
  })

  // decision: Management
  it('key list prints the records of both environments, newest first', async () => {
    const none = { limit: 0, has_more: false, next_cursor: null }
    expect(await cli(`key list ${company()}`)).to.deep.equal({ data: [], pagination: none })
    const [live, test] = [await createKey('--env live'), await createKey('--env test')]
    const listed: Json[] = (await cli(`key list ${company()}`)).data
    expect(listed.map(({ id }) => id)).to.deep.equal([test.id, live.id])
    for (const record of listed) {
      expect(Object.keys(record)).to.deep.equal(RECORD_FIELDS)
      expect(Object.keys(record.usage)).to.deep.equal(['day', 'week', 'month', 'daily'])
      expect(record.usage.daily).to.have.length(30)
      expect(Object.keys(record.usage.daily[0])).to.deep.equal(['date', 'requests'])
    }
  })

  // decision: Lists as one option
  it('key update changes what is given and prints the record; --allow "" alone clears the list', async () => {
    const { id } = await createKey('--allow 10.0.0.0/8')
    const changes = '--active false --name renamed --scopes read:deals,write:deals'
    const updated = await cli(`key update --id ${id} ${changes}`)
    const lists = { scopes: ['read:deals', 'write:deals'], ip_allowlist: ['10.0.0.0/8'] }
    expect(updated).to.deep.include({ name: 'renamed', is_active: false, state: 'disabled', ...lists })
    const cleared = await cli(`key update --id ${id} --active true --allow`, '')
    expect(cleared).to.deep.include({ state: 'active', ip_allowlist: [] })
    for (const text of [',', ' , ', ' ']) {
      const refused = await failureOf(its.deps, ...words(`key update --id ${id} --allow`), text)
      expect(refused).to.match(/^1 VALIDATION_ERROR: --allow has no entry/)
    }
  })

  it('key rotate prints the replacement key and when the old key ends; key revoke prints the record', async () => {
    const { id } = await createKey()
    const rotated = await cli(`key rotate --id ${id} --grace 24h --expires-at 2099-01-01`)
    expect(Object.keys(rotated)).to.deep.equal(['id', 'key', 'old_key_id', 'old_expires_at'])
    expect(rotated.old_key_id).to.equal(id)
    const old = { state: 'in_rotation', rotated_to: rotated.id, expires_at: rotated.old_expires_at }
    expect(await cli(`key show --id ${id}`)).to.include(old)
    expect((await cli(`key show --id ${rotated.id}`)).expires_at).to.equal('2099-01-01T00:00:00.000Z')
    const again = await cli(`key rotate --id ${rotated.id} --grace 24h --expires-at never`)
    expect(await cli(`key show --id ${again.id}`)).to.include({ expires_at: null })
    const revoked = await cli(`key revoke --id ${id}`)
    expect(Object.keys(revoked)).to.deep.equal(RECORD_FIELDS)
    expect(revoked.state).to.equal('revoked')
    expect(revoked.revoked_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('event publish takes what the event tells of its subject, and publishes an id that the caller chose only once', async () => {
    const publish = `event publish ${company()} --type deal.updated --id evt_import-1 --data {"stage":"won"}`
    const told = `${publish} --previous {"stage":"new"} --subject 4 --revision 3`
    const once = { id: 'evt_import-1', deliveries: 0 }
    for (let time = 0; time < 2; time++) expect(await cli(told)).to.deep.equal(once)
    expect(await failureOf(its.deps, ...words(publish))).to.match(/^1 CONFLICT: /)
    const { payload, published_by } = await cli(`event show --id ${once.id} ${company()}`)
    expect(published_by).to.deep.equal({ type: 'cli', id: null, name: null, via: 'event' })
    const context = { subject: '4', revision: 3, data: { stage: 'won' }, previous: { stage: 'new' } }
    expect(payload).to.deep.include(context)
  })

  it('event publish refuses JSON that would not go out as it came in, as the API does', async () => {
    const publish = `event publish ${company()} --type deal.updated --data`
    const digits = await failureOf(its.deps, ...words(`${publish} {"n":12345678901234567890}`))
    expect(digits).to.match(/^1 VALIDATION_ERROR: The number at "n" would lose digits/)
    const proto = await failureOf(its.deps, ...words(`${publish} {"a":{"__proto__":1}}`))
    expect(proto).to.equal('1 VALIDATION_ERROR: --data has a key "__proto__".')
  })

  it('refuse with exit code 1 and the code of the API', async () => {
    const { id } = await createKey()
    await cli(`key revoke --id ${id}`)
    const unknown = '00000000-0000-4000-8000-000000000000'
    const create = `key create ${company()} --name x --scopes read:all`
    const publish = `event publish ${company()} --type`
    const deal = `${publish} deal.created --data {}`
    for (const [code, text, ...more] of [
      ['INVALID_REQUEST', `key rotate --id ${id} --grace 1h`],
      ['VALIDATION_ERROR', `key rotate --id ${id} --grace 2h`],
      ['NOT_FOUND', `key show --id key_${unknown}`],
      ['NOT_FOUND', `key list --company com_${unknown}`],
      ['NOT_FOUND', `user remove --id usr_${unknown}`],
      ['VALIDATION_ERROR', `${create} --env production`],
      ['VALIDATION_ERROR', `${create} --expires-at tomorrow`],
      ['VALIDATION_ERROR', `${create} --expires-at 2099-02-31`],
      ['VALIDATION_ERROR', `key create ${company()} --name x --scopes`, ''],
      ['VALIDATION_ERROR', `${publish} test.webhook --data {}`],
      ['VALIDATION_ERROR', `${publish} deal.created --data []`],
      ['VALIDATION_ERROR', `${publish} deal.created --data {`],
      ['VALIDATION_ERROR', `${deal} --id evt_test_1`],
      ['VALIDATION_ERROR', `${deal} --revision 0`],
      ['VALIDATION_ERROR', `${deal} --revision x`],
      ['VALIDATION_ERROR', `${deal} --subject`, ' '],
      ['VALIDATION_ERROR', `${deal} --previous []`],
    ] as const)
      expect(await failureOf(its.deps, ...words(text), ...more), text).to.match(new RegExp(`^1 ${code}: .`))
  })

  it('say that the database is away or not set up, and never show SQL', async () => {
    const away = 'mysql://root:hidden@127.0.0.1:1/away'
    const none = its.database.url.replace(/\w+$/, 'not_there')
    for (const [url, sentence] of [
      [away, 'The database does not answer.'],
      [none, 'The database is not set up: run "migrate" first.'],
    ] as const) {
      const db = connect(url, { poolSize: 1 })
      const failure = await failureOf(testDeps({ url, db }), 'key', 'list', ...words(company()))
      await db.destroy()
      expect(failure).to.equal(`1 SERVICE_UNAVAILABLE: ${sentence}`)
    }
  })
})
