// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import type { SystemDeps } from '../../../src/deps/deps.ts'
import { newId } from '../../../src/domain/ids.ts'
import type { Mail } from '../../../src/domain/mail/mail.ts'
import { MAILED_LINKS_PER_ADDRESS, type AccessLink } from '../../../src/domain/user/access-link.ts'
import { sealContext, unseal } from '../../../src/domain/sealing/sealing.ts'
import { showLink } from '../../../src/operations/sessions/use-link.ts'
import { inviteUser, listInvitations, resendInvitation } from '../../../src/operations/user/invite.ts'
import { createUser, removeUser, type UserInput } from '../../../src/operations/user/members.ts'
import { isPassword } from '../../../src/operations/user/password-hash.ts'
import { refusalOf, createKeyring, useOperations } from '../../support/use-operations.ts'
import { createApiKey } from '../../../src/operations/key/create.ts'
import { resetPasswordByLink, updateUser, type UserUpdate } from '../../../src/operations/user/change.ts'
import { signIn } from '../../../src/operations/sessions/sign-in.ts'

/** The same with a mail server, which these tests never connect to. */
const withMail = (deps: SystemDeps): SystemDeps => ({
  ...deps,
  config: { ...deps.config, mailServer: { url: 'smtp://127.0.0.1:1', from: 'console@example.com' } },
})

const ANN = { email: 'ann@example.com', name: 'Ann', password: 'correct horse', role: 'member' } as const

// decision: Owner gone
describe('users', () => {
  const its = useOperations()

  const create = (fields: Partial<UserInput> = {}, companyId = its.keyring.companyId) =>
    createUser(its.deps, companyId, COMMAND_LINE, { ...ANN, ...fields })
  const remove = (id: string) => its.keyring.remove(id)
  const stateOf = async (id: string) => (await its.keyring.show(id)).state

  // decision: Emails
  it('takes an email once per company while its owner is a member, in whatever case, and tells accents apart', async () => {
    const { id } = await create()
    const refusal = 'CONFLICT: A member of the company has this email.'
    expect(await refusalOf(create({ email: 'Ann@Example.com' }))).to.equal(refusal)
    await create({}, (await createKeyring(its.deps)).companyId)
    await remove(id)
    expect((await create()).id).to.not.equal(id)
    for (const email of ['a@x.com', 'á@x.com', 'ä@x.com', 'ß@x.com', 'ss@x.com']) await create({ email })
    expect(await refusalOf(create({ email: 'Á@X.com' }))).to.match(/^CONFLICT: /)
  })

  // decision: Common passwords
  it('refuses fields that break a rule and companies that are not there', async () => {
    const faulty = { email: 'a b@c', name: '', password: 'Password123', allowedScopes: ['write:all'] }
    for (const [field, value] of Object.entries(faulty))
      expect(await refusalOf(create({ [field]: value })), field).to.match(/^VALIDATION_ERROR: /)
    for (const companyId of [newId('company'), 'com_1'])
      expect(await refusalOf(create({}, companyId))).to.equal('NOT_FOUND: Company not found.')
  })

  it('are removed once, with every Personal key, those in grace included, and no Shared key, for good', async () => {
    const { id: userId } = await create()
    const personal = await its.keyring.create({ userId })
    const rotated = await its.keyring.create({ userId })
    const { key: replacement } = await its.keyring.rotate(rotated.id, '7d')
    const shared = await its.keyring.create({ userId, type: 'Shared' })
    const colleague = await its.keyring.create({ userId: await its.keyring.user() })
    expect(await remove(userId)).to.deep.equal({ revokedKeys: 3 })
    for (const id of [personal.id, rotated.id, replacement.id]) expect(await stateOf(id)).to.equal('revoked')
    for (const { id } of [shared, colleague]) expect(await stateOf(id)).to.equal('active')
    // A second request for the rotation's timer ends it.
    expect(await its.db('outbox').where({ subject_id: rotated.id }).pluck('version')).to.deep.equal([2])
    const entry = `key.revoke ${JSON.stringify({ reason: 'user_left', user_id: userId })}`
    expect((await its.audited(replacement.id)).slice(1)).to.deep.equal([entry])
    for (const gone of [userId, newId('user'), 'usr_1'])
      expect(await refusalOf(remove(gone))).to.equal('NOT_FOUND: User not found.')
    await create()
    expect(await stateOf(personal.id)).to.equal('revoked')
  })

  it('leaves no living key behind when a key is created while its owner leaves', async () => {
    for (let round = 0; round < 5; round++) {
      const userId = await its.keyring.user()
      const create = () => refusalOf(its.keyring.create({ userId }))
      await Promise.all([create(), create(), remove(userId)])
      const living: unknown[] = await its.db('api_keys').where({ user_id: userId, revoked_at: null })
      expect(living).to.deep.equal([])
    }
  })
})

// decision: Invitations
describe('an invitation', () => {
  const its = useOperations()

  async function mailOf({ config }: SystemDeps, { companyId, mailId }: AccessLink): Promise<Mail> {
    const { mail_sealed: sealed } = await its.db('mails').where({ id: mailId }).first()
    const context = sealContext(companyId, mailId ?? '', 'mail')
    return JSON.parse(unseal(config.secretsKeys, sealed as string, context)) as Mail
  }

  it('goes by mail where a mail server is set, and then no answer shows the link', async () => {
    const deps = withMail(its.deps)
    const { companyId } = its.keyring
    const input = { email: 'Bo@example.com', role: 'member' as const }
    const { link, url } = await inviteUser(deps, companyId, COMMAND_LINE, input)
    expect(url).to.equal(null)
    const mail = await mailOf(deps, link)
    expect([mail.to, mail.subject]).to.deep.equal(['bo@example.com', 'Invitation to Test company'])
    const token = /\/console\/join#([\w-]{43})\n/.exec(mail.text)?.[1] ?? ''
    expect(await showLink(deps, token)).to.include({ kind: 'invitation', maskedEmail: 'b…@example.com' })
    const { items } = await listInvitations(deps, companyId, { limit: 10 })
    expect(items.map((each) => each.mail)).to.deep.equal(['waiting'])
  })

  it('mails no text of the inviter that a mail program could make a link of, and few links to one address', async () => {
    const deps = withMail(its.deps)
    const { companyId } = its.keyring
    const bad = [
      'Log in at evil.example',
      'https://evil',
      'Ann\nYour account is locked',
      `A${' x'.repeat(40)}`,
    ]
    for (const [index, name] of ['Ann A. Lee', ...bad].entries()) {
      const inviter = { ...ANN, name, role: 'admin', email: `inviter${index}@example.com` } as const
      const { id } = await createUser(its.deps, companyId, COMMAND_LINE, inviter)
      const invited = { email: `stranger${index}@example.com`, role: 'member' as const }
      const { link } = await inviteUser(deps, companyId, { id }, invited)
      expect((await mailOf(deps, link)).text.includes(name), name).to.equal(!bad.includes(name))
    }
    const invited = { email: 'cy@example.com', role: 'member' as const }
    let { id } = (await inviteUser(deps, companyId, COMMAND_LINE, invited)).link
    const again = () => resendInvitation(deps, companyId, COMMAND_LINE, id)
    for (let sent = 1; sent < MAILED_LINKS_PER_ADDRESS; sent++) ({ id } = (await again()).link)
    expect(await refusalOf(again())).to.match(/^RATE_LIMITED: .*one address/)
  })
})

// decision: Lower roles
describe('changing users', () => {
  const its = useOperations()

  let users = 0
  const admin = async (): Promise<string> => {
    const input = { ...ANN, email: `a${++users}@example.com`, role: 'admin' } as const
    return (await createUser(its.deps, its.keyring.companyId, COMMAND_LINE, input)).id
  }
  const update = (id: string, change: UserUpdate, actor = COMMAND_LINE) =>
    updateUser(its.deps, its.keyring.companyId, actor, id, change)
  const createWide = (id: string) => {
    const input = { name: 'wide', scopes: ['write:all'], userId: id }
    return createApiKey(its.deps, its.tenant(), { id }, input)
  }

  it('leaves no wide key behind when a user makes keys while the role is lowered', async () => {
    for (let round = 0; round < 3; round++) {
      const id = await admin()
      await Promise.all([...[1, 2, 3].map(() => refusalOf(createWide(id))), update(id, { role: 'member' })])
      const active: unknown[] = await its.db('api_keys').where({ user_id: id, is_active: true })
      expect(active).to.deep.equal([])
    }
  })

  // decision: Lower roles
  it('disables no key for a new name, only for a change of what the user may do', async () => {
    const id = await its.keyring.user()
    const input = { name: 'given by the operator', scopes: ['write:deals'], userId: id }
    const { key } = await createApiKey(its.deps, its.tenant(), COMMAND_LINE, input)
    expect(await update(id, { name: 'Ann Other' })).to.deep.include({ disabledKeys: 0 })
    expect((await its.keyring.show(key.id)).state).to.equal('active')
    expect(await update(id, { allowedScopes: ['write:tasks'] })).to.deep.include({ disabledKeys: 1 })
    expect((await its.keyring.show(key.id)).state).to.equal('disabled')
  })

  it('lets one of two admins win who remove each other', async () => {
    const [a, b] = [await admin(), await admin()]
    const remove = (actor: string, id: string) =>
      refusalOf(removeUser(its.deps, its.keyring.companyId, { id: actor }, id))
    const refusals = await Promise.all([remove(a, b), remove(b, a)])
    expect(refusals.filter((refusal) => refusal === 'none')).to.have.length(1)
    expect(refusals.join()).to.match(/UNAUTHORIZED|NOT_FOUND/)
  })

  // decision: Invitations
  it('ends what an admin who is removed or lowered could still let somebody in with, and no link that only its owner has', async () => {
    const { companyId, remove } = its.keyring
    for (const end of [remove, (id: string) => update(id, { role: 'member' })]) {
      const [id, shown, mailed] = [await admin(), await admin(), await admin()]
      const reset = async (user: string, deps = its.deps) =>
        (await resetPasswordByLink(deps, companyId, { id }, user)).issued.link.id
      const links = [await reset(shown), await reset(mailed, withMail(its.deps))]
      await end(id)
      const rows = its.db('access_links').whereIn('id', links).orderBy('created_at')
      expect(await rows.pluck('ended_as')).to.deep.equal(['revoked', null])
    }
  })

  // decision: Roles
  it('checks the role of a user who asks with the row that is there, whatever the caller has checked', async () => {
    const id = await admin()
    const other = await its.keyring.user()
    await update(id, { role: 'member' })
    expect(await refusalOf(update(other, { role: 'admin' }, { id }))).to.match(/^INSUFFICIENT_PERMISSIONS: /)
    expect(await refusalOf(createWide(id))).to.match(/^INSUFFICIENT_PERMISSIONS: /)
  })
})

describe('a sign-in that is refused', () => {
  const its = useOperations()

  /** CPU time of a comparison over all threads of this process. The least counts, as other work is included. */
  async function comparisonMs(): Promise<number> {
    const timesMs: number[] = []
    for (let round = 0; round < 3; round++) {
      const before = process.cpuUsage()
      await isPassword('strangers', undefined, 'wrong')
      const { user, system } = process.cpuUsage(before)
      timesMs.push((user + system) / 1_000)
    }
    return Math.min(...timesMs)
  }

  // decision: The time of a refused sign-in
  it('takes as long as five comparisons, for an unknown email and for one with four memberships', async () => {
    for (let n = 0; n < 4; n++) await (await createKeyring(its.deps)).user('four@example.com')
    const eachMs = await comparisonMs()
    for (const email of ['unknown@example.com', 'four@example.com']) {
      const startedMs = performance.now()
      const refusal = await refusalOf(signIn(its.deps, { email, password: 'wrong' }, {}))
      expect((performance.now() - startedMs) / eachMs, email).to.be.above(2.5)
      expect(refusal).to.equal('INVALID_CREDENTIALS: The email, the password or the code is wrong.')
    }
  })
})
