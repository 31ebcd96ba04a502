import { expect } from 'chai'
import { ATTEMPT_ERRORS } from '../../src/domain/delivery/outcome.ts'
import { EVENT_CATALOG } from '../../src/domain/event/catalog.ts'
import { createTestEvent } from '../../src/domain/event/event.ts'
import { parseDurationMs } from '../../src/domain/durations.ts'
import { DEFAULT_RETRY_SCHEDULE_MS } from '../../src/domain/delivery/backoff.ts'
import { signatureHeaders } from '../../src/domain/webhook/signing.ts'
import { DEFAULT_SETTINGS, MAXIMUM_MAX_RETRIES } from '../../src/domain/webhook/webhook.ts'
import { fencedBlocks, matches, readDocument } from './documents.ts'

const DOCUMENT = readDocument('docs/receiving.md')
const blockWith = (start: string): string =>
  fencedBlocks(DOCUMENT).find((block) => block.startsWith(start)) ?? ''

describe('docs/receiving.md', () => {
  it('shows a request whose signature, length and body are right', () => {
    const [head = '', body = ''] = blockWith('POST /').trimEnd().split('\n\n')
    const headers = Object.fromEntries([...head.matchAll(/^([\w-]+): (.+)$/gm)].map(([, k, v]) => [k, v]))
    const [secret = ''] = matches(/`(whsec_[^`]+)`/g, DOCUMENT.text)
    const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '' } = headers
    const bytes = Buffer.from(body)
    const signed = signatureHeaders({ secret, id, timestampSeconds: Number(timestamp), body: bytes })
    expect(headers).to.include({ ...signed, 'content-length': String(bytes.length) })
    const example = EVENT_CATALOG.find(({ name }) => name === 'contact.created')?.example
    expect(JSON.parse(body)).to.deep.equal(example)
  })

  it('shows the test event as it is sent', () => {
    const shown = JSON.parse(blockWith('{')) as {
      id: string
      created_at: string
      data: { webhook_id: string }
    }
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
