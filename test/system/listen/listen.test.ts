import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { freePorts } from '../../../scripts/lib/ports.ts'
import { countBoot } from '../../support/environment.ts'
import { cliResult } from '../../support/cli.ts'
import { listenOnLoopback } from '../../support/loopback.ts'
import { until, untilAtLeast, untilIncludes, untilIs } from '../../support/poll.ts'
import { type Json, createTestWebhook, publishMany } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { words } from '../../support/words.ts'

type Received = { readonly request: IncomingMessage; readonly body: string }

describe('listen', function () {
  this.timeout(60_000)
  const use = useStack()
  const ends: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end()
  })

  /** A server of the test on plain HTTP. */
  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener)
    ends.push(() => server.close().closeAllConnections())
    return (await listenOnLoopback(server)).url
  }

  /** A developer's server, and the requests that it received. */
  async function startHook(status = 200, headers = {}) {
    const received: Received[] = []
    const url = await serve(async (request, response) => {
      received.push({ request, body: await text(request) })
      response.writeHead(status, headers).end('x'.repeat(100_000))
    })
    return {
      url: `${url}/hook?a=1`,
      received,
      ids: () => received.map(({ body }) => JSON.parse(body).id as string),
    }
  }

  /** Runs the command as a developer does, until the test stops it. Without `from` it begins with new events. */
  async function start(api: string, key: string, to: string, ...more: string[]) {
    countBoot()
    const args = ['dist/listen.js', '--json', '--api', api, '--key', key, '--forward-to', to, ...more]
    const child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'] } })
    ends.push(() => child.kill('SIGKILL'))
    const shown = { out: '', err: '' }
    child.stdout.on('data', (chunk: Buffer) => (shown.out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (shown.err += chunk.toString()))
    const closed = once(child, 'close')
    const documents = (): Json[] =>
      shown.out
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    await until(documents, ({ length }) => length > 0 || child.exitCode !== null)
    return {
      secret: documents()[0]?.secret as string,
      err: () => shown.err,
      events: () => documents().filter(({ event_id }) => event_id),
      /** Sends Ctrl-C. npm forwards it a second time. */
      async stop(): Promise<Json> {
        for (let time = 0; time < 2; time++) child.kill('SIGINT')
        expect((await closed)[0], shown.err).to.equal(0)
        return documents().at(-1)
      },
    }
  }

  const untilEvents = (listener: Awaited<ReturnType<typeof start>>, count: number) =>
    until(listener.events, ({ length }) => length === count)

  // decision: `listen` posts what a delivery sends
  it('posts each event with the bytes, headers and signature of a delivery, and sums up at Ctrl-C', async () => {
    const { stack, tenant } = use
    const webhook = await createTestWebhook(stack, tenant)
    const hook = await startHook()
    const listener = await start(stack.api.url, tenant.key, hook.url, '--events', 'contact.created')
    const data = { ü: ['\u2028\ud800"\\/', 1e-7, 0.1, null], b: 1, 7: {} }
    await tenant.request('POST', '/api-v1-events', { event: 'deal.created', data })
    const event = { event: 'contact.created', data, previous: { b: 0 }, subject: '4', revision: 2 }
    const { status, body: answer } = await tenant.request('POST', '/api-v1-events', event)
    expect(status, JSON.stringify(answer)).to.equal(201)
    const delivered = await stack.receiver.next(webhook.path)
    const [shown] = await untilEvents(listener, 1)
    const [{ request, body }] = hook.received as [Received]
    expect([request.method, request.url]).to.deep.equal(['POST', '/hook?a=1'])
    expect(body).to.equal(delivered.body.toString())
    const changing = ['host', 'webhook-timestamp', 'webhook-signature']
    const lasting = (rawHeaders: readonly string[]) =>
      rawHeaders.map((text, n) => (changing.includes(rawHeaders[n - 1] ?? '') && n % 2 === 1 ? '' : text))
    expect(lasting(request.rawHeaders)).to.deep.equal(lasting(delivered.rawHeaders))
    new Webhook(listener.secret).verify(body, request.headers as Record<string, string>)
    expect(shown).to.include({ event: 'contact.created', status: 200, error: null })
    const { next_cursor, ...sum } = await listener.stop()
    expect(sum).to.deep.equal({ events: 1, ok: 1, failed: 0 })
    expect(next_cursor).to.equal(shown.next_cursor)
  })

  // decision: A cursor for each event
  it('loses and repeats nothing when the api restarts, and goes on where it says', async () => {
    const { tenant } = use
    const PORT = String((await freePorts([0]))[0])
    const hook = await startHook()
    const first = await use.stack.startApi({ PORT })
    const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
    const listener = await start(first.url, tenant.key, hook.url, '--secret', secret)
    expect(listener.secret).to.equal(secret)
    const sent = await publishMany(tenant, 3)
    await untilEvents(listener, 3)
    await first.stop()
    await untilIncludes(listener.err, 'does not answer')
    sent.push(...(await publishMany(tenant, 3)))
    const second = await use.stack.startApi({ PORT })
    sent.push(...(await publishMany(tenant, 1)))
    const events = await untilEvents(listener, 7)
    expect(hook.ids()).to.deep.equal(sent)
    await untilIncludes(listener.err, `Going on behind ${events[2].next_cursor}`)
    const { next_cursor: cursor } = await listener.stop()
    sent.push(...(await publishMany(tenant, 2)))
    const later = await start(second.url, tenant.key, hook.url, '--since', cursor)
    await untilEvents(later, 2)
    expect(hook.ids()).to.deep.equal(sent)
    await later.stop()
    await second.stop()
  })

  // decision: A cursor for each event
  it('shows what the address does wrong, and repeats with --since the event that Ctrl-C cut off', async () => {
    const { tenant } = use
    const { url } = use.stack.api
    const [id = ''] = await publishMany(tenant, 1)
    const refused = await start(url, tenant.key, 'http://127.0.0.1:1/', '--since', 'start')
    const shown = { event_id: id, status: null, error: 'ECONNREFUSED' }
    expect((await untilEvents(refused, 1))[0]).to.include(shown)
    await untilIncludes(refused.err, 'Nothing listens')
    expect(await refused.stop()).to.include({ events: 1, ok: 0, failed: 1 })
    const target = await startHook()
    const hook = await startHook(302, { location: target.url })
    const redirected = await start(url, tenant.key, hook.url, '--since', 'start')
    expect((await untilEvents(redirected, 1))[0]).to.include({ status: 302, error: null })
    await redirected.stop()
    expect(target.ids()).to.deep.equal([])
    let arrived = 0
    const silent = await start(url, tenant.key, await serve(() => (arrived += 1)), '--since', 'start')
    await untilAtLeast(() => arrived, 1)
    expect(await silent.stop()).to.deep.include({ events: 0, next_cursor: 'start' })
  })

  // decision: An expired cursor of `listen`
  it('waits as long as a busy api asks for, and says which events are lost when its cursor is too old', async () => {
    const hook = await startHook()
    const asked: string[] = []
    const askedAtMs: number[] = []
    const part = (cursor: string, ...data: object[]) => ({
      data,
      pagination: { next_cursor: cursor, has_more: false },
    })
    const payload = { id: 'evt_1' }
    const event = { id: 'evt_1', event: 'contact.created', created_at: '2026-01-15T09:30:00.000Z', payload }
    const answers: [number, object][] = [
      [200, part('one')],
      [503, {}],
      [429, { error: { code: 'RATE_LIMITED', message: '' } }],
      [410, { error: { code: 'CURSOR_EXPIRED', message: 'The oldest cursor is x.' } }],
      [200, part('two', event)],
    ]
    const api = await serve((request, response) => {
      askedAtMs.push(performance.now())
      asked.push(new URL(request.url!, 'http://x').searchParams.get('after')!)
      const answer = answers.shift()
      if (answer) response.writeHead(answer[0], { 'retry-after': '2' }).end(JSON.stringify(answer[1]))
    })
    const listener = await start(`${api}/`, 'k', hook.url)
    expect((await untilEvents(listener, 1))[0]).to.include({ event_id: 'evt_1', next_cursor: 'two' })
    await untilIs(() => asked.length, 6)
    expect(asked).to.deep.equal(['end', 'one', 'one', 'one', 'start', 'two'])
    expect(askedAtMs[2]! - askedAtMs[1]!).to.be.at.least(1_990)
    for (const told of ['(status 503)', 'Events behind one are lost']) await untilIncludes(listener.err, told)
    await listener.stop()
  })

  it('says what the api refuses, without what a terminal would obey, or as the document, and ends with exit code 1', async () => {
    const error = { code: 'INVALID_API_KEY', message: 'red\u001b[31m\u009b' }
    const rude = await serve((_request, response) => response.writeHead(401).end(JSON.stringify({ error })))
    const args = words(`listen --api ${rude} --key k --forward-to http://127.0.0.1:1`)
    const toRead = { exitCode: 1, stdout: '', stderr: 'INVALID_API_KEY: red\\u001b[31m?' }
    expect(await cliResult(args, {})).to.deep.equal(toRead)
    expect(await cliResult([...args, '--json'], {})).to.include({ exitCode: 1, stderr: '' })
  })
})
