import { expect } from 'chai'
import { execa } from 'execa'
import { once } from 'node:events'
import { newWebhookSecret, signatureHeaders } from '../../src/domain/webhook/signing.ts'
import * as programs from './receiving-programs.ts'
import { ATTEMPT_ERRORS } from '../../src/domain/delivery/outcome.ts'
import { EVENT_CATALOG } from '../../src/domain/event/catalog.ts'
import { createTestEvent } from '../../src/domain/event/event.ts'
import { parseDurationMs } from '../../src/domain/durations.ts'
import { DEFAULT_RETRY_SCHEDULE_MS } from '../../src/domain/delivery/backoff.ts'
import { DEFAULT_SETTINGS, MAXIMUM_MAX_RETRIES } from '../../src/domain/webhook/settings.ts'
import { fencedBlocks, matches, readDocument } from './documents.ts'

const SECRET = newWebhookSecret()
const BODY = Buffer.from('{"id":"evt_1","event":"contact.created","data":{"name":"Zoë","note":"a  b"}}\n')
const nowSeconds = () => Math.floor(Date.now() / 1000)

/** A request as the service signs it. */
function signed({ timestampSeconds = nowSeconds(), secret = SECRET } = {}): programs.SignedRequest {
  const headers = signatureHeaders({ secret, id: 'evt_1', timestampSeconds, body: BODY })
  return { secret: SECRET, headers, body: BODY.toString('base64') }
}

const withHeaders = (
  request: programs.SignedRequest,
  headers: Record<string, string>,
): programs.SignedRequest => ({
  ...request,
  headers: { ...request.headers, ...headers },
})

/** Requests that the programs must accept or refuse. Send them within seconds, because their timestamps expire. */
function messages(): Record<'taken' | 'refused', Record<string, programs.SignedRequest>> {
  const good = signed()
  const signature = good.headers['webhook-signature'] ?? ''
  const wrong = `v1,${Buffer.alloc(32, 1).toString('base64')}`
  return {
    taken: {
      'as the service signs it': good,
      'signed four minutes ago': signed({ timestampSeconds: nowSeconds() - 240 }),
      'one signature of several': withHeaders(good, { 'webhook-signature': `${wrong} ${signature}` }),
      'beside a version to come': withHeaders(good, { 'webhook-signature': `v9,* ${signature} v1` }),
    },
    refused: {
      'a changed body': {
        ...good,
        body: Buffer.from(BODY.toString().replace('a  b', 'a b')).toString('base64'),
      },
      'a body without its last byte': { ...good, body: BODY.subarray(0, -1).toString('base64') },
      'a changed timestamp': withHeaders(good, { 'webhook-timestamp': String(nowSeconds() - 5) }),
      'a changed id': withHeaders(good, { 'webhook-id': 'evt_2' }),
      'signed six minutes ago': signed({ timestampSeconds: nowSeconds() - 360 }),
      'signed in six minutes': signed({ timestampSeconds: nowSeconds() + 360 }),
      'a timestamp that is no number': signed({ timestampSeconds: NaN }),
      'another secret': signed({ secret: newWebhookSecret() }),
      'another version': withHeaders(good, { 'webhook-signature': signature.replace('v1,', 'v2,') }),
      'part of the signature': withHeaders(good, { 'webhook-signature': signature.slice(0, -2) }),
      'an empty signature': withHeaders(good, { 'webhook-signature': '' }),
      'no headers at all': { ...good, headers: {} },
    },
  }
}

const verdicts = (messagesOfKind: Record<string, programs.SignedRequest>, isTaken: boolean) =>
  Object.fromEntries(Object.keys(messagesOfKind).map((name) => [name, isTaken]))

/** Defines a test where the commands exist. Elsewhere it reports that the test is left out. */
function itWith(commands: readonly string[], title: string, test: (this: Mocha.Context) => Promise<void>) {
  const missing = programs.missingCommands(commands)
  if (missing.length === 0) it(title, test)
  else process.stdout.write(`    left out, ${missing.join(' and ')} is not installed: ${title}\n`)
}

describe('the programs of docs/receiving.md', () => {
  const dir = programs.usePrograms()

  it('are all run here', () => {
    const run = [...programs.VERIFIERS, ...programs.ORDERERS].map(({ file }) => file)
    expect(Object.keys(programs.documentPrograms())).to.have.members([...run, 'server.mjs', 'send.sh'])
  })

  for (const { file, needs, prepare } of programs.VERIFIERS)
    itWith(
      needs,
      `${file} takes what the service signs and refuses what is changed, old or foreign`,
      async function () {
        // Go compiles its standard library at the first use.
        this.timeout(180_000)
        const verdictsOn = await prepare(dir.path)
        const { taken, refused } = messages()
        const expected = { ...verdicts(taken, true), ...verdicts(refused, false) }
        const results = await verdictsOn(Object.values({ ...taken, ...refused }))
        const names = Object.keys(expected)
        expect(Object.fromEntries(names.map((name, index) => [name, results[index]]))).to.deep.equal(expected)
      },
    )

  // The events in their order of arrival, and whether to accept each.
  const ARRIVALS: readonly (readonly [programs.CountedEvent, boolean])[] = [
    [{ subject: 'a', revision: 2 }, true],
    [{ subject: 'a', revision: 1 }, false],
    [{ subject: 'b', revision: 1 }, true],
    [{ subject: 'a', revision: 2 }, true],
    [{ subject: 'a', revision: 10 }, true],
    [{ subject: 'a', revision: 9 }, false],
    [{ subject: 'b', revision: 2 }, true],
    [{ subject: 'a' }, true],
    [{ revision: 1 }, true],
    [{}, true],
    [{ subject: 'a', revision: 9 }, false],
  ]
  for (const { file, needs, prepare } of programs.ORDERERS)
    itWith(needs, `${file} drops what is older than an event of its subject that came`, async function () {
      this.timeout(180_000)
      const verdicts = await (await prepare(dir.path))(ARRIVALS.map(([event]) => event))
      expect(verdicts).to.deep.equal(ARRIVALS.map(([, isTaken]) => isTaken))
    })

  itWith(
    ['openssl', 'curl'],
    'server.mjs takes what send.sh signs, keeps a repeat once and refuses a foreign secret',
    async () => {
      const server = execa('node', ['server.mjs'], {
        cwd: dir.path,
        env: { SECRET, PORT: '0' },
        reject: false,
      })
      const send = async (secret: string) =>
        (
          await execa('sh', ['send.sh', `http://127.0.0.1:${port}`], {
            cwd: dir.path,
            env: { SECRET: secret },
          })
        ).stdout
      const [ready] = (await once(server.stdout, 'data')) as [Buffer]
      const port = ready.toString().trim().replace('ready ', '')
      try {
        const answers = [await send(SECRET), await send(SECRET), await send(newWebhookSecret())]
        expect(answers).to.deep.equal(['204', '204', '401'])
      } finally {
        server.kill()
      }
      const { stdout, stderr } = await server
      const lines = ['new evt_local_1 contact.created', 'repeat evt_local_1 contact.created']
      expect(stdout.split('\n').slice(1)).to.deep.equal(lines)
      expect(stderr).to.equal('refused: The signature is wrong.')
    },
  )
})

const DOCUMENT = readDocument('docs/receiving.md')
const blockWith = (start: string, part = ''): string =>
  fencedBlocks(DOCUMENT).find((block) => block.startsWith(start) && block.includes(part)) ?? ''
const exampleOf = (type: string) => EVENT_CATALOG.find(({ name }) => name === type)?.example

describe('docs/receiving.md', () => {
  it('shows a request whose signature, length and body are right', () => {
    const [head = '', body = ''] = blockWith('POST /').trimEnd().split('\n\n')
    const headers = Object.fromEntries([...head.matchAll(/^([\w-]+): (.+)$/gm)].map(([, k, v]) => [k, v]))
    const [secret = ''] = matches(/`(whsec_[^`]+)`/g, DOCUMENT.text)
    const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '' } = headers
    const bytes = Buffer.from(body)
    const signed = signatureHeaders({ secret, id, timestampSeconds: Number(timestamp), body: bytes })
    expect(headers).to.include({ ...signed, 'content-length': String(bytes.length) })
    expect(body).to.equal(JSON.stringify(exampleOf('contact.created')))
  })

  it('shows an update as the catalog does, and the test event as it is sent', () => {
    const update = JSON.parse(blockWith('{', '"previous"')) as object
    expect(JSON.stringify(update)).to.equal(JSON.stringify(exampleOf('contact.updated')))
    type TestEvent = { id: string; created_at: string; data: { webhook_id: string } }
    const shown = JSON.parse(blockWith('{', 'test.webhook')) as TestEvent
    const { id, created_at, data } = shown
    const event = createTestEvent({ id, webhookId: data.webhook_id, now: new Date(created_at) })
    expect(event.body.toString()).to.equal(JSON.stringify(shown))
  })

  it('has the schedule and the numbers of attempts that hold', () => {
    const [row = ''] = matches(/^\| wait +\|(.+)\|$/gm, DOCUMENT.text)
    const delays = row.split('|').map((cell) => parseDurationMs(cell.replaceAll(' ', '').replace('min', 'm')))
    expect(delays).to.deep.equal(DEFAULT_RETRY_SCHEDULE_MS)
    expect(DOCUMENT.text).to.include(
      `${DEFAULT_SETTINGS.maxRetries + 1} unless the webhook says otherwise, ${MAXIMUM_MAX_RETRIES + 1} at most`,
    )
  })

  it('says of every error code what happened and what to do', () => {
    const [, table = ''] = /^\| `error`(.+\n(?:\|.+\n)+)/m.exec(DOCUMENT.text) ?? []
    const rows = [...table.matchAll(/^\| `(\w+)` +\|(.+)\|(.+)\|$/gm)]
    expect(rows.map(([, code]) => code)).to.deep.equal([...ATTEMPT_ERRORS])
    const isEmpty = (cell = '') => cell.trim().length < 10
    expect(rows.filter(([, , happened, todo]) => isEmpty(happened) || isEmpty(todo))).to.deep.equal([])
  })
})
