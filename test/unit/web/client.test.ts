import { expect, use } from 'chai'
import chaiAsPromised from 'chai-as-promised'
import { ApiClient, type Prompts } from '../../../web/src/common/api/client.ts'
import { FormKey } from '../../../web/src/common/api/form-key.ts'
import { ApiRefusal, readRefusal } from '../../../web/src/common/api/refusal.ts'
import type { Session } from '../../../web/src/common/api/wire.ts'
import { describeRefusal, faultsByField } from '../../../web/src/common/api/describe-refusal.ts'
import { Prompter } from '../../../web/src/common/session/prompter.ts'

use(chaiAsPromised)

type Request = { readonly url: string; readonly method: string; readonly headers: Record<string, string> }

type Answer = { readonly status: number; readonly body: unknown }

const ok = (data: unknown): Answer => ({ status: 200, body: { data } })
const refused = (status: number, code: string): Answer => {
  return { status, body: { error: { code, message: code } } }
}
const signedIn = (token: string, id = 'usr_1') =>
  ok({ state: 'signed_in', csrf_token: token, user: { id, email: `${id}@example.com` } })

const STALE = refused(403, 'CSRF_TOKEN_INVALID')

/** A client for a server that gives these answers in turn. */
function clientWith(answers: Answer[], prompts: Partial<Prompts> = {}) {
  const requests: Request[] = []
  const sessions: Session[] = []
  const client = new ApiClient({
    fetch: (url, init) => {
      const headers = init?.headers as Record<string, string>
      requests.push({ url: url as string, method: init?.method ?? '', headers })
      const answer = answers.shift()
      if (answer === undefined) return Promise.reject(new TypeError('fetch failed'))
      return Promise.resolve(new Response(JSON.stringify(answer.body), { status: answer.status }))
    },
    prompts: { signIn: () => Promise.resolve(false), password: () => Promise.resolve(false), ...prompts },
    onSession: (session) => sessions.push(session),
    onConnection: () => undefined,
  })
  return { client, requests, sessions }
}

const CHANGE = { method: 'POST', body: { name: 'x' }, idempotencyKey: 'form-1' } as const

describe("the console's client", () => {
  it('fetches a new token once, and repeats the call with the same idempotency key', async () => {
    const { client, requests } = clientWith([STALE, signedIn('token-2'), ok({ id: 'key_1' })])
    await client.send('/companies/c/live/keys', CHANGE)
    expect(requests.map(({ method }) => method)).to.deep.equal(['POST', 'GET', 'POST'])
    expect(requests[2]!.headers).to.include({ 'X-CSRF-Token': 'token-2', 'Idempotency-Key': 'form-1' })
  })

  it('repeats nothing in the name of somebody else who signed in meanwhile', async () => {
    const answers = [signedIn('token-1', 'usr_1'), STALE, signedIn('token-2', 'usr_2')]
    const { client, requests } = clientWith(answers)
    await client.session()
    await expect(client.send('/x', CHANGE)).to.be.rejectedWith('usr_2@example.com signed in meanwhile')
    expect(requests).to.have.length(3)
  })

  it('asks to sign in, and does not tell the screen, when another tab signed out, and refuses the call when the person closes the dialog', async () => {
    const out = ok({ state: 'signed_out', csrf_token: 'token-2' })
    const signIn = () => Promise.resolve(true)
    const { client, sessions } = clientWith([STALE, out, ok({ id: 'key_1' })], { signIn })
    await client.send('/x', CHANGE)
    expect(sessions).to.deep.equal([])
    const asking = clientWith([refused(403, 'REAUTHENTICATION_REQUIRED')])
    await expect(asking.client.send('/x', CHANGE)).to.be.rejectedWith('REAUTHENTICATION_REQUIRED')
  })

  it('reads the session anew when the role no longer permits the call', async () => {
    const { client, sessions } = clientWith([refused(403, 'INSUFFICIENT_PERMISSIONS'), signedIn('token-2')])
    await expect(client.send('/x', CHANGE)).to.be.rejectedWith('INSUFFICIENT_PERMISSIONS')
    expect(sessions).to.have.length(1)
  })

  it('repeats nothing by itself that came too often, keeps who is signed in, and sends no name of the query that has no value', async () => {
    const limited = refused(429, 'RATE_LIMITED')
    const { client, requests, sessions } = clientWith([signedIn('token-1'), limited, ok({ id: 'key_1' })])
    await client.session()
    await expect(client.send('/x', CHANGE)).to.be.rejectedWith('RATE_LIMITED')
    expect([requests.length, sessions.length]).to.deep.equal([2, 1])
    expect((await client.send('/x', CHANGE)).body).to.deep.equal({ data: { id: 'key_1' } })
    const asking = clientWith([ok([])])
    await asking.client.send('/keys', { query: { q: 'a b', cursor: undefined, state: '' } })
    expect(asking.requests[0]!.url).to.equal('/console/api/keys?q=a+b&state=')
  })
})

describe('the idempotency key of a form', () => {
  it('stays for the same body, changes with the body, and after success', () => {
    let next = 0
    const key = new FormKey(() => String((next += 1)))
    expect([1, 1, 2, 2].map((a) => key.for({ a })).join(' ')).to.equal('1 1 2 2')
    key.renew()
    expect(key.for({ a: 2 })).to.equal('3')
  })
})

const refusal = (status: number, code: string, message = 'No.') =>
  new ApiRefusal({ status, code, message, requestId: 'req-1', retryAfterSeconds: null })

describe('what the console says about refusals', () => {
  it('shows the request id of a fault, and of nothing else, and puts the faults beside the fields that the api names', () => {
    expect(describeRefusal(refusal(500, 'INTERNAL_ERROR')).requestId).to.equal('req-1')
    expect(describeRefusal(refusal(400, 'VALIDATION_ERROR')).requestId).to.equal(null)
    const error = refusal(400, 'VALIDATION_ERROR', '"name" is required. "headers.X" is reserved')
    const faults = { name: '"name" is required', headers: '"headers.X" is reserved' }
    expect(faultsByField(error, ['name', 'headers'])).to.deep.equal(faults)
    expect(faultsByField(error, ['url'])).to.deep.equal({})
    expect(faultsByField(refusal(409, 'CONFLICT', '"name" is taken'), ['name'])).to.deep.equal({})
  })

  it('reads when to come back, and an answer that is not ours', async () => {
    const body = JSON.stringify({ error: { code: 'RATE_LIMITED', message: 'Slow down.' } })
    const answer = new Response(body, { status: 429, headers: { 'Retry-After': '30' } })
    expect((await readRefusal(answer)).retryAfterSeconds).to.equal(30)
    const proxy = await readRefusal(new Response('<h1>Bad gateway</h1>', { status: 502 }))
    expect(proxy).to.include({ status: 502, code: 'UNKNOWN', requestId: null })
  })
})

describe("the console's questions", () => {
  it('are asked once for all calls that wait for the same, and not again by what the page reads itself, once somebody said no', async () => {
    const prompter = new Prompter()
    const waiting = [prompter.signIn(false), prompter.signIn(true)]
    const open = prompter.open.get()
    expect(open?.question).to.equal('signIn')
    open?.answer(true)
    expect(await Promise.all(waiting)).to.deep.equal([true, true])
    expect(prompter.open.get()).to.equal(undefined)
    const first = prompter.signIn(false)
    prompter.open.get()?.answer(false)
    expect(await first).to.equal(false)
    expect(await prompter.signIn(false)).to.equal(false)
    void prompter.signIn(true)
    expect(prompter.open.get()?.question).to.equal('signIn')
  })
})
