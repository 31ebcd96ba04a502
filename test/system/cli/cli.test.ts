import { expect } from 'chai'
import { expectRefusals, type Refusal } from '../../support/cli-failures.ts'
import { runCli } from '../../support/cli.ts'
import { testDeps } from '../../support/deps.ts'
import { runCommand } from '../../support/operator-commands.ts'
import type { Json } from '../../support/tenants.ts'
import { useCli } from '../../support/use-cli.ts'
import { words } from '../../support/words.ts'

const RECORD_FIELDS = words(`
  id name description prefix scopes type user_id environment state is_active
  ip_allowlist expires_at revoked_at rotated_to created_at last_used_at last_used_ip request_count usage`)

describe('the command line', () => {
  const its = useCli()
  let company: string
  before(async () => {
    company = (await cli('company create --name Test')).id
  })

  /** A command as one types it; what has blanks comes behind it. */
  const cli = (text: string, ...more: string[]): Promise<Json> => its.run(...words(text), ...more)
  const createKey = (more = ''): Promise<Json> =>
    cli(`key create --company ${company} --name k --scopes read:webhooks ${more}`)
  const expectAll = (refusals: readonly Refusal[]) => expectRefusals(refusals, its)

  it('company create and user create print the new id and nothing else', async () => {
    const created = await its.runProcess(...words('company create --name Another'))
    expect(Object.keys(created)).to.deep.equal(['id'])
    expect(created.id).to.match(/^com_/)
    const options = `--company ${created.id} --email a@example.com --name A --role admin --password`
    const user = await its.runProcess(...words(`user create ${options}`), 'correct horse')
    expect(Object.keys(user)).to.deep.equal(['id'])
    expect(user.id).to.match(/^usr_/)
    expect(await its.database.db('users').where({ id: user.id }).first()).to.include({ role: 'admin' })
  })

  it('key create prints id and key; --env live and type Shared are the defaults', async () => {
    const created = await createKey()
    expect(Object.keys(created)).to.deep.equal(['id', 'key'])
    expect(created.key).to.match(/^salesdata_live_[A-Za-z0-9]{32}$/)
    const shown = await cli(`key show --id ${created.id}`)
    expect(shown).to.include({ prefix: created.key.slice(0, 24), type: 'Shared', environment: 'live' })
    expect(shown).to.deep.include({ state: 'active', user_id: null, expires_at: null, ip_allowlist: [] })
    expect(shown).to.include({ request_count: 0 })
  })

  it('key create takes every option; with --user the type is Personal', async () => {
    const options = `--company ${company} --email b@example.com --name B --password`
    const user = await cli(`user create ${options}`, 'correct horse')
    const { id, key } = await createKey(
      `--user ${user.id} --env test --expires-at 2099-01-31T12:00:00+02:00 --allow 10.0.0.0/8,::1 --description nightly`,
    )
    expect(key).to.match(/^salesdata_test_/)
    const shown = await cli(`key show --id ${id}`)
    expect(shown).to.include({ user_id: user.id, type: 'Personal', environment: 'test' })
    expect(shown).to.include({ description: 'nightly' })
    expect(shown).to.include({ expires_at: '2099-01-31T10:00:00.000Z' })
    expect(shown.ip_allowlist).to.deep.equal(['10.0.0.0/8', '::1'])
    expect(await cli(`user remove --id ${user.id}`)).to.deep.equal({ removed: true, revoked_keys: 1 })
    expect((await cli(`key show --id ${id}`)).state).to.equal('revoked')
  })

  // decision: Management
  it('key list prints the records of both environments, newest first', async () => {
    const other = (await cli('company create --name Lister')).id
    const none = { limit: 0, has_more: false, next_cursor: null }
    expect(await cli(`key list --company ${other}`)).to.deep.equal({ data: [], pagination: none })
    const create = (name: string) =>
      cli(`key create --company ${other} --name ${name} --scopes read:all --env ${name}`)
    const live = await create('live')
    const test = await create('test')
    const listed: Json[] = (await cli(`key list --company ${other}`)).data
    expect(listed.map(({ id }) => id)).to.deep.equal([test.id, live.id])
    for (const record of listed) {
      expect(Object.keys(record)).to.deep.equal(RECORD_FIELDS)
      expect(Object.keys(record.usage)).to.deep.equal(['day', 'week', 'month', 'daily'])
      expect(record.usage.daily).to.have.length(30)
      expect(Object.keys(record.usage.daily[0])).to.deep.equal(['date', 'requests'])
    }
  })

  it('key update changes what is given and prints the record; --allow "" clears the list', async () => {
    const { id } = await createKey('--allow 10.0.0.0/8')
    const changes = '--active false --name renamed --scopes read:deals,write:deals'
    const updated = await cli(`key update --id ${id} ${changes}`)
    expect(Object.keys(updated)).to.deep.equal(RECORD_FIELDS)
    expect(updated).to.include({ name: 'renamed', is_active: false, state: 'disabled' })
    const lists = { scopes: ['read:deals', 'write:deals'], ip_allowlist: ['10.0.0.0/8'] }
    expect(updated).to.deep.include(lists)
    const cleared = await cli(`key update --id ${id} --active true --allow`, '')
    expect(cleared).to.deep.include({ state: 'active', ip_allowlist: [] })
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

  it('event publish prints id and deliveries, and publishes an id that the caller chose only once', async () => {
    const publish = words(
      `event publish --company ${company} --type contact.created --id evt_import-1 --data`,
    )
    const { exitCode, stdout } = await its.result([...publish, '{"name":"Ann"}', '--json'])
    expect([exitCode, stdout]).to.deep.equal([0, '{"id":"evt_import-1","deliveries":0}'])
    expect(await its.run(...publish, '{"name":"Ann"}')).to.deep.equal(JSON.parse(stdout))
    await expectAll([['1 CONFLICT', [...publish, '{"name":"Bob"}']]])
    expect(await its.database.db('events').where({ company_id: company })).to.have.length(1)
  })

  it('event publish takes what the event tells of its subject, by the rules of the API', async () => {
    const publish = words(`event publish --company ${company} --type deal.updated --data {"stage":"won"}`)
    const told = ['--previous', '{"stage":"new"}', '--subject', '4']
    const { id } = await its.run(...publish, ...told, '--revision', '3')
    const { payload, published_by } = await cli(`event show --id ${id} --company ${company}`)
    expect(published_by).to.deep.equal({ type: 'cli', id: null, name: null, via: 'event' })
    const context = { subject: '4', revision: 3, data: { stage: 'won' }, previous: { stage: 'new' } }
    expect(payload).to.deep.include(context)
    const wrong = [
      ['--revision', '0'],
      ['--revision', 'x'],
      ['--subject', ' '],
      ['--previous', '[]'],
    ]
    await expectAll(wrong.map((option) => ['1 VALIDATION_ERROR', [...publish, ...option]] as const))
  })

  it('refuses with exit code 1 and the code of the API', async () => {
    const { id } = await createKey()
    await cli(`key revoke --id ${id}`)
    const unknown = '00000000-0000-4000-8000-000000000000'
    const create = `key create --company ${company} --name x --scopes read:all`
    const publish = `event publish --company ${company} --type`
    const refusals: [string, string][] = [
      ['INVALID_REQUEST', `key rotate --id ${id} --grace 1h`],
      ['VALIDATION_ERROR', `key rotate --id ${id} --grace 2h`],
      ['NOT_FOUND', `key show --id key_${unknown}`],
      ['NOT_FOUND', `key list --company com_${unknown}`],
      ['NOT_FOUND', `user remove --id usr_${unknown}`],
      ['VALIDATION_ERROR', `${create} --type Personal`],
      ['VALIDATION_ERROR', `${create} --env production`],
      ['VALIDATION_ERROR', `${create} --expires-at tomorrow`],
      ['VALIDATION_ERROR', `${create} --expires-at 2099-01-01T00:00:00`],
      ['VALIDATION_ERROR', `${create} --expires-at 2099-02-31`],
      ['VALIDATION_ERROR', `${create} --expires-at 9999-12-31T23:59:59-12:00`],
      ['VALIDATION_ERROR', `${publish} test.webhook --data {}`],
      ['VALIDATION_ERROR', `${publish} deal.created --data []`],
      ['VALIDATION_ERROR', `${publish} deal.created --data {`],
      ['VALIDATION_ERROR', `${publish} deal.created --data {} --id evt_test_1`],
    ]
    const noScope = [...words(`key create --company ${company} --name x --scopes`), '']
    const all = refusals.map(([code, text]) => [`1 ${code}`, words(text)] as const)
    await expectAll([...all, ['1 VALIDATION_ERROR', noScope]])
  })

  it('ends with exit code 2 and names all faults of a wrong configuration', async () => {
    const broken = { SECRETS_KEYS: '', PORT: 'none' }
    const { exitCode, stdout } = await its.result(['key', 'list', '--company', company, '--json'], broken)
    expect(exitCode).to.equal(2)
    expect(JSON.parse(stdout)).to.have.nested.property('error.code', 'INVALID_CONFIGURATION')
    expect(stdout).to.include('SECRETS_KEYS').and.include('PORT')
  })

  it('says that the database is away or not set up, and never shows SQL', async () => {
    const away = 'mysql://root:hidden@127.0.0.1:1/away'
    const none = its.database.url.replace(/\w+$/, 'not_there')
    for (const [DATABASE_URL, words] of [
      [away, 'does not answer'],
      [none, 'run \\"migrate\\" first'],
    ] as const) {
      const { exitCode, stdout } = await its.result(['key', 'list', '--company', company, '--json'], {
        DATABASE_URL,
      })
      expect(exitCode).to.equal(1)
      expect(stdout).to.include('SERVICE_UNAVAILABLE').and.include(words)
      expect(stdout).to.not.match(/hidden|select/i)
    }
  })

  it('prints for people without --json: the result on stdout, errors on stderr', async () => {
    const created = await its.result(['company', 'create', '--name', 'For people'])
    expect(created.stdout).to.match(/^id: com_[0-9a-f-]{36}$/)
    const refused = await its.result(['key', 'show', '--id', 'key_1'])
    expect([refused.exitCode, refused.stdout]).to.deep.equal([1, ''])
    expect(refused.stderr).to.equal('NOT_FOUND: API key not found.')
  })

  it('migrate creates the database and says once what it applied; rollback undoes it', async () => {
    const url = new URL(its.database.url)
    url.pathname = `${url.pathname}_fresh`
    const fresh = testDeps({ url: url.href, db: its.database.db }, its.environment)
    try {
      const { applied } = await runCli(['migrate'], { ...its.environment, DATABASE_URL: url.href })
      expect(applied).to.include('001-accounts')
      expect(await runCommand(fresh, 'migrate')).to.deep.equal({ applied: [] })
      const undone = await runCommand(fresh, 'rollback', '--yes-drop-data')
      expect([...undone.applied].sort()).to.deep.equal([...applied].sort())
    } finally {
      await its.database.db.raw('DROP DATABASE IF EXISTS ??', [url.pathname.slice(1)])
    }
  })
})
