import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { createRequest } from '../../../src/attempts/request.ts'
import type { GateRows } from '../../../src/db/system/gate-rows.ts'
import { parseKeyRing } from '../../../src/domain/sealing/sealing.ts'
import { newWebhookSecret } from '../../../src/domain/webhook/signing.ts'
import { sealSecret, sealSettings } from '../../../src/domain/webhook/webhook.ts'
import { delivery } from '../../support/deliveries.ts'

describe('the request of an attempt', () => {
  const keys = parseKeyRing(`k:${randomBytes(32).toString('base64')}`)
  const secret = newWebhookSecret()
  const { headersSealed } = sealSettings(keys, 'com_1', 'whk_1', { headers: { authorization: 'Bearer a' } })
  const secretSealed = sealSecret(keys, 'com_1', 'whk_1', secret)
  const rows = {
    tenant: { companyId: 'com_1', environment: 'live' },
    webhook: { id: 'whk_1', headersSealed, secretSealed },
    delivery: delivery(),
    body: Buffer.from('{"id":"evt_1", "name":"ž"}'),
  } as unknown as GateRows

  it('has the bytes of the event, the headers of the webhook, and a signature for this second', () => {
    const now = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 999)
    const { body, headers } = createRequest(keys, rows, now)
    expect(body).to.equal(rows.body)
    expect(headers).to.include({ authorization: 'Bearer a', 'webhook-id': 'evt_1' })
    expect(headers['webhook-timestamp']).to.equal(String((now.getTime() - 999) / 1_000))
    expect(() => new Webhook(secret).verify(String(body), headers)).not.to.throw()
  })

  it('cannot be made once the event is gone', () => {
    expect(() => createRequest(keys, { ...rows, body: null }, new Date())).to.throw(
      'the event of delivery del_1 is gone',
    )
  })
})
