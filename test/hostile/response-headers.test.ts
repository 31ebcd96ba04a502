import { expect } from 'chai'
import { STORED_HEADERS_BYTES } from '../../src/domain/delivery/kept-response.ts'
import { useEndpointsOn } from '../support/stack-endpoints.ts'
import type { Json } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'
import { createContact, createTestWebhook } from '../support/webhooks.ts'

/** UTF-8 of a control character (C2 85), of a mark that turns the writing (E2 80 AE), and a byte that is neither. */
const STRANGE_BYTES = Buffer.from([0x61, 0xff, 0xc2, 0x85, 0xe2, 0x80, 0xae, 0x62])

const HOSTILE_HEAD = Buffer.concat([
  Buffer.from(
    'HTTP/1.1 500 Test\r\ncontent-length: 0\r\nsEt-CoOkIe: session=taken\r\nSET-COOKIE2: taken\r\n',
  ),
  Buffer.from('x-strange: '),
  STRANGE_BYTES,
  Buffer.from('\r\n__proto__: a\r\n'),
  Buffer.from(`x-large: ${'l'.repeat(6_000)}\r\nx-${'n'.repeat(500)}: a\r\n`),
  Buffer.from(Array.from({ length: 300 }, (_, n) => `x-many-${n}: ${n}\r\n`).join('')),
  Buffer.from('\r\n'),
])

describe('an endpoint whose answers have hostile headers', function () {
  this.timeout(60_000)
  const use = useStack()
  const endpoints = useEndpointsOn(use)

  // decision: Headers of an answer
  it('fills 2 KiB of its attempt with text that harms nobody, and its cookies are kept nowhere', async () => {
    const endpoint = await endpoints.start((socket) => socket.write(HOSTILE_HEAD))
    const webhook = await createTestWebhook(use.stack, use.tenant, { url: endpoint.url, max_retries: 0 })
    await createContact(use.tenant)
    const { id: deliveryId } = await webhook.delivery('failed')
    const path = `/api-v1-webhooks/${webhook.id}/deliveries/${deliveryId as string}`
    const { body: detail } = await use.tenant.request('GET', path)
    const [shown] = detail.data.attempt_log as Json[]
    expect(shown).to.include({ response_code: 500, response_headers_cut: true })
    expect(shown.response_headers).to.include({ 'content-length': '0', 'x-strange': 'a\ufffd\ufffd\ufffdb' })
    expect(shown.response_headers).to.include({ 'x-large': `${'l'.repeat(255)}…` })
    expect(shown.response_headers).to.include({ [`x-${'n'.repeat(61)}…`]: 'a', 'x-many-0': '0' })
    expect(Object.keys(shown.response_headers as object))
      .to.include('__proto__')
      .and.not.include('x-many-299')
    const page = await use.tenant.request('GET', `${path}/attempts`)
    expect(page.body.data).to.deep.equal([shown])
    const [row] = await use.stack.db('attempts').where({ delivery_id: deliveryId })
    expect(Buffer.byteLength(row.response_headers as string)).to.be.at.most(STORED_HEADERS_BYTES)
    expect(row.response_headers).not.to.match(/\p{Cc}|cookie|taken/u)
  })
})
