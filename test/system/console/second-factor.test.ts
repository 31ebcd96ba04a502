import { expect } from 'chai'
import { signIn } from '../../../src/operations/sessions/sign-in.ts'
import { forgetPassword, latestSignIn, PASSWORD, useConsole, verdictOf } from '../../support/console.ts'
import { stackDeps } from '../../support/database.ts'
import { runCommand } from '../../support/operator-commands.ts'
import { refusalOf } from '../../support/use-operations.ts'
import { codeOf, setUpTotp, TOTP_PATH } from '../../support/totp.ts'

describe('the second factor of the console', () => {
  const its = useConsole()

  it('is asked for once a code has confirmed the app, and its secret is sealed', async () => {
    const { client, email, id } = await its.person('member')
    const { body } = await client.request('POST', TOTP_PATH, {})
    const { secret, otpauth_url } = body.data
    expect(otpauth_url)
      .to.include(`secret=${secret}`)
      .and.match(/^otpauth:\/\/totp\//)
    const row = await its.stack.db('users').where({ id }).first()
    expect(row.totp_sealed).to.match(/^v1\./).and.not.include(secret)
    expect(verdictOf(await its.client().signIn(email))).to.equal('200')
    const confirm = (code: string) => client.request('POST', `${TOTP_PATH}/confirm`, { code })
    expect(verdictOf(await confirm('000000'))).to.equal('400 VALIDATION_ERROR')
    const { recovery_codes } = (await confirm(codeOf(secret))).body.data
    expect(recovery_codes).to.have.length(10)
    for (const code of recovery_codes) expect(code).to.match(/^[a-z2-7]{4}(?:-[a-z2-7]{4}){3}$/)
    expect(verdictOf(await its.client().signIn(email))).to.equal('401 SECOND_FACTOR_REQUIRED')
    const refused = '401 INVALID_CREDENTIALS'
    expect(verdictOf(await its.client().signIn(email, PASSWORD, { code: '000000' }))).to.equal(refused)
    const signedIn = await its.client().signIn(email, PASSWORD, { code: codeOf(secret, 1) })
    expect(signedIn.body.data.user).to.include({ totp_enabled: true, recovery_codes_left: 10 })
    expect(verdictOf(await client.request('POST', TOTP_PATH, {}))).to.equal('400 INVALID_REQUEST')
  })

  // decision: A second factor for everybody
  it('is asked of everybody once an admin who has one says so: without one nothing else works', async () => {
    const { client: admin } = await its.person()
    const { client: member, email } = await its.person('member')
    const require = (second_factor_required: boolean) =>
      admin.verdict('PATCH', '/company', { second_factor_required })
    expect(await require(true)).to.equal('400 INVALID_REQUEST')
    await setUpTotp(admin)
    expect(await member.verdict('PATCH', '/company', { second_factor_required: true })).to.match(/^403/)
    expect(await require(true)).to.equal('200')
    for (const client of [member, its.client()]) {
      if (client !== member) await client.signIn(email)
      expect(await client.verdict('GET', '/keys')).to.equal('403 SECOND_FACTOR_SETUP_REQUIRED')
      const { data } = (await client.session()).body
      expect([data.second_factor_missing, data.permissions]).to.deep.equal([true, []])
    }
    await setUpTotp(member)
    expect(await member.verdict('GET', '/keys')).to.equal('200')
    expect((await member.session()).body.data).to.deep.include({ second_factor_missing: false })
    expect(verdictOf(await member.request('DELETE', TOTP_PATH))).to.equal('200')
    expect(await member.verdict('GET', '/keys')).to.equal('403 SECOND_FACTOR_SETUP_REQUIRED')
    expect(await admin.verdict('GET', '/keys')).to.equal('200')
    const off = ['company', 'update', '--id', its.companyId, '--second-factor', 'optional']
    expect(await runCommand(its.deps, ...off)).to.include({ second_factor_required_at: null })
    expect(await member.verdict('GET', '/keys')).to.equal('200')
    const [entry] = (await admin.call('GET', '/audit?action=company.update')).body.data
    const sentence = 'The operator changed the settings of the company: second factor required true → false'
    expect(entry.summary).to.equal(sentence)
  })

  // decision: The second factor
  it('takes each code once: not the one that confirmed the app, and no sign-in’s again', async () => {
    const { client, email } = await its.person()
    const { secret } = await setUpTotp(client)
    const attempt = async (code: string) => verdictOf(await its.client().signIn(email, PASSWORD, { code }))
    expect(await attempt(codeOf(secret))).to.equal('401 INVALID_CREDENTIALS')
    const code = codeOf(secret, 1)
    const verdicts = await Promise.all([attempt(code), attempt(code)])
    expect(verdicts.sort()).to.deep.equal(['200', '401 INVALID_CREDENTIALS'])
    expect(await attempt(code)).to.equal('401 INVALID_CREDENTIALS')
    expect(await attempt(codeOf(secret))).to.equal('401 INVALID_CREDENTIALS')
  })

  // decision: The second factor
  it('has recovery codes, each of which serves once, in any case and without dashes', async () => {
    const { client, email, id } = await its.person()
    const { secret, recoveryCodes } = await setUpTotp(client)
    const attempt = async (code: string) => verdictOf(await its.client().signIn(email, PASSWORD, { code }))
    const [first = '', second = ''] = recoveryCodes
    expect(await attempt(first.toUpperCase().replaceAll('-', ''))).to.equal('200')
    expect(await attempt(first)).to.equal('401 INVALID_CREDENTIALS')
    const rows = await its.stack.db('user_recovery_codes').where({ user_id: id })
    expect(rows).to.have.length(9)
    expect(JSON.stringify(rows)).to.not.include(second)
    const signedIn = its.client()
    await signedIn.signIn(email, PASSWORD, { code: codeOf(secret, 1) })
    const { body } = await signedIn.request('POST', `${TOTP_PATH}/recovery-codes`, {})
    expect(body.data.recovery_codes).to.have.length(10).and.not.include(second)
    expect(await attempt(second)).to.equal('401 INVALID_CREDENTIALS')
  })

  it('is switched off, set up and renewed only with the password of the last 10 minutes', async () => {
    const { client, email, id } = await its.person()
    await setUpTotp(client)
    await forgetPassword(its, id)
    for (const [method, path] of [
      ['POST', TOTP_PATH],
      ['POST', `${TOTP_PATH}/recovery-codes`],
      ['DELETE', TOTP_PATH],
    ] as const)
      expect(verdictOf(await client.request(method, path))).to.equal('403 REAUTHENTICATION_REQUIRED')
    await client.request('POST', '/console/api/session/reauthenticate', { password: PASSWORD })
    expect((await client.request('DELETE', TOTP_PATH)).body.data).to.deep.equal({ totp_enabled: false })
    expect(verdictOf(await its.client().signIn(email))).to.equal('200')
  })

  // decision: Other sessions of the user
  it('ends the other sessions of its user when it is switched on and off, and those of nobody else', async () => {
    const { client, email } = await its.person()
    const { client: colleague } = await its.person()
    const [before, after] = [its.client(), its.client()]
    await before.signIn(email)
    const { secret } = await setUpTotp(client)
    expect(await before.verdict('GET', '/keys')).to.equal('401 UNAUTHORIZED')
    expect(await client.verdict('GET', '/keys')).to.equal('200')
    await after.signIn(email, PASSWORD, { code: codeOf(secret, 1) })
    expect(await after.verdict('GET', '/keys')).to.equal('200')
    await client.request('POST', `${TOTP_PATH}/recovery-codes`, {})
    expect(await after.verdict('GET', '/keys')).to.equal('200')
    await client.request('DELETE', TOTP_PATH)
    expect(await after.verdict('GET', '/keys')).to.equal('401 UNAUTHORIZED')
    for (const other of [client, colleague]) expect(await other.verdict('GET', '/keys')).to.equal('200')
  })

  // decision: Other sessions of the user
  it('ends every other session when a recovery code lets somebody in', async () => {
    const { client, email, id } = await its.person()
    const { recoveryCodes } = await setUpTotp(client)
    const found = its.client()
    await found.signIn(email, PASSWORD, { code: recoveryCodes[0] })
    expect(await client.verdict('GET', '/keys')).to.equal('401 UNAUTHORIZED')
    expect(await found.verdict('GET', '/keys')).to.equal('200')
    const told = { second_factor: 'recovery_code', ended_sessions: 1 }
    expect(JSON.parse((await latestSignIn(its, id)).details)).to.deep.equal(told)
  })

  // decision: The second factor
  it('is locked by 10 wrong codes in a row over all processes, until a recovery code or an admin', async () => {
    const { client: admin } = await its.person()
    const { client, email, id } = await its.person('member')
    const { secret, recoveryCodes } = await setUpTotp(client)
    const processes = [its.deps, stackDeps(its.stack)]
    let tries = 0
    const attempt = (code?: string) =>
      refusalOf(
        signIn(processes[tries++ % 2]!, { email, password: PASSWORD, ...(code && { code }) }, { ip: '::1' }),
      )
    /** Two at once, the number of passwords checked at once, so that no check waits beyond its limit. */
    async function guess(count: number): Promise<string[]> {
      const refusals: string[] = []
      const guesser = async () => {
        while (left-- > 0) refusals.push((await attempt('000000')).split(':')[0]!)
      }
      let left = count
      await Promise.all([guesser(), guesser()])
      return refusals
    }
    expect(new Set(await guess(9))).to.deep.equal(new Set(['INVALID_CREDENTIALS']))
    expect(await attempt(recoveryCodes[0])).to.equal('none')
    const refusals = await guess(12)
    expect(refusals.filter((code) => code === 'INVALID_CREDENTIALS')).to.have.length(9)
    expect(refusals.filter((code) => code === 'SECOND_FACTOR_LOCKED')).to.have.length(3)
    for (const code of [undefined, codeOf(secret, 1)])
      expect(await attempt(code)).to.match(
        /^SECOND_FACTOR_LOCKED: 10 wrong codes .* recovery code, or ask an admin/,
      )
    const actions = await its.stack.db('audit').where({ subject_id: id }).orderBy('id').pluck('action')
    expect(actions.filter((action) => action === 'session.refuse')).to.have.length(19)
    expect(actions.slice(-1)).to.deep.equal(['user.totp_lock'])

    const shown = async () => (await admin.call('GET', `/users/${id}`)).body.data.totp_locked_at
    expect(Date.parse(await shown())).to.be.closeTo(Date.now(), 60_000)
    const unlocked = await admin.call('PATCH', `/users/${id}`, { totp_locked_at: null })
    expect([unlocked.body.data.totp_locked_at, await shown()]).to.deep.equal([null, null])
    const signedIn = its.client()
    const answer = await signedIn.signIn(email, PASSWORD, { code: codeOf(secret, 1) })
    expect(answer.body.data.user.totp_locked_at).to.equal(null)

    await guess(10)
    expect(Date.parse((await signedIn.session()).body.data.user.totp_locked_at)).to.be.above(0)
    expect(await attempt(recoveryCodes[1])).to.equal('none')
    expect(await shown()).to.equal(null)
    const unlocks = await its.stack.db('audit').where({ subject_id: id, action: 'user.totp_unlock' })
    expect(unlocks).to.have.length(1)
  })
})
