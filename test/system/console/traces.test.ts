import { expect } from 'chai'
import { SIGN_IN_OUTCOMES } from '../../../src/domain/user/sign-in.ts'
import { latestSignIn, PASSWORD, useConsole, verdictOf } from '../../support/console.ts'
import { readMetric, linesWith } from '../../support/running-parts.ts'
import { until } from '../../support/poll.ts'
import { codeOf, setUpTotp } from '../../support/totp.ts'

const SESSION = '/console/api/session'

describe('what sign-ins leave behind', () => {
  const its = useConsole({ workers: 0 })

  let requests = 0
  /** Signs in by a request with a chosen id. */
  async function attempt(body: object) {
    const client = its.client()
    await client.session()
    const requestId = `trace-${++requests}`
    const answer = await client.request('POST', SESSION, body, { 'X-Request-Id': requestId })
    return { requestId, verdict: verdictOf(answer) }
  }

  type Line = Record<string, unknown> & { readonly msg: string }

  /** The log lines about a request without its last line, which every request gets. */
  async function linesOf(requestId: string): Promise<Line[]> {
    const read = () => linesWith(its.stack.api, `"${requestId}"`).map((line) => JSON.parse(line) as Line)
    const lines = await until(read, (found) => found.some(({ msg }) => msg === 'request'))
    return lines.filter(({ msg }) => msg !== 'request')
  }

  // decision: Traces of sign-ins
  it('is a line of the log with why and from where it was refused, and nothing that was typed', async () => {
    const { id, email } = await its.user()
    const typed = 'my secret pass phrase'
    for (const [body, reason, userIds] of [
      [{ email, password: typed }, 'wrong_password', [id]],
      [{ email: `${typed}@example.com`, password: typed }, 'unknown_email', []],
    ] as const) {
      const { requestId, verdict } = await attempt(body)
      expect(verdict).to.equal('401 INVALID_CREDENTIALS')
      const [line, ...others] = await linesOf(requestId)
      expect(others).to.deep.equal([])
      expect(line).to.deep.include({ level: 'info', msg: 'sign-in refused', request_id: requestId })
      expect(line).to.deep.include({ address: '127.0.0.1' })
      expect(line).to.deep.include({ reason, user_ids: userIds })
    }
    expect((await linesOf((await attempt({ email, password: PASSWORD })).requestId)).length).to.equal(0)
    expect(its.stack.api.output()).to.not.include(typed).and.not.include(email)
  })

  // decision: Traces of sign-ins
  it('is a line of the log too where somebody who is signed in gives a wrong password', async () => {
    const { client, id } = await its.person()
    for (const [method, path, body] of [
      ['POST', `${SESSION}/reauthenticate`, { password: 'wrong' }],
      ['PUT', '/console/api/password', { current_password: 'wrong', new_password: 'another pass phrase' }],
    ] as const) {
      const requestId = `trace-${++requests}`
      await client.request(method, path, body, { 'X-Request-Id': requestId })
      const [line] = await linesOf(requestId)
      expect(line).to.deep.include({ msg: 'password refused', reason: 'wrong_password', user_ids: [id] })
    }
  })

  // decision: Traces of sign-ins
  it('is the metric, by what came of them; a wrong code is in the audit of the company', async () => {
    const counts = () =>
      Promise.all(
        SIGN_IN_OUTCOMES.map((outcome) => readMetric(its.stack.api, 'console_sign_ins_total', { outcome })),
      )
    const { client, email, id } = await its.person()
    const { secret } = await setUpTotp(client)
    const former = await counts()
    const login = { email, password: PASSWORD }
    const verdicts: string[] = []
    for (const body of [
      login,
      { ...login, code: '000000' },
      { ...login, code: codeOf(secret, 1) },
      ...Array.from({ length: 5 }, () => ({ ...login, password: 'wrong' })),
      { email: 'nobody@example.com', password: 'wrong' },
    ])
      verdicts.push((await attempt(body)).verdict)
    expect(verdicts).to.deep.equal([
      '401 SECOND_FACTOR_REQUIRED',
      '401 INVALID_CREDENTIALS',
      '200',
      ...Array<string>(4).fill('401 INVALID_CREDENTIALS'),
      '429 RATE_LIMITED',
      '401 INVALID_CREDENTIALS',
    ])
    const grown = (await counts()).map((count, index) => count - (former[index] ?? 0))
    const counted = SIGN_IN_OUTCOMES.map((outcome, index) => [outcome, grown[index]] as const)
    const once = { signed_in: 1, code_missing: 1, unknown_email: 1, wrong_code: 1, throttled: 1 }
    const changed = Object.fromEntries(counted.filter(([, count]) => count !== 0))
    expect(changed).to.deep.equal({ ...once, wrong_password: 4 })
    const entries = await its.stack.db('audit').where({ subject_id: id, action: 'session.refuse' })
    expect(entries).to.have.length(1)
    expect(entries[0]).to.deep.include({ ip: '127.0.0.1', details: '{"reason":"wrong_code"}' })
    expect((await latestSignIn(its, id)).details).to.equal('{"second_factor":"app"}')
  })
})
