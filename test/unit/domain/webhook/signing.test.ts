import { expect } from 'chai'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import * as signing from '../../../../src/domain/webhook/signing.ts'

/** The test vector that the reference libraries of Standard Webhooks share. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1_614_265_330,
  body: Buffer.from('{"test": 2432232314}'),
}

describe('the secret of a webhook', () => {
  it('is whsec_ and the base64 of 24 random bytes, without padding', () => {
    const secrets = Array.from({ length: 50 }, signing.newWebhookSecret)
    for (const secret of secrets) expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{32}$/)
    expect(new Set(secrets).size).to.equal(50)
  })

  // decision: Signature
  it('is whsec_ and the base64 of 24 to 64 bytes, with or without padding, where a customer brings it', () => {
    const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 0xfb).toString('base64')}`
    const right = [24, 25, 26, 64].map(secretOf)
    right.push(...right.map((secret) => secret.replace(/=+$/, '')))
    expect(right.filter((secret) => !signing.isWebhookSecret(secret))).to.deep.equal([])
    const good = secretOf(25)
    const wrong = [
      ...['', secretOf(23), secretOf(65), good.slice(6), good.toUpperCase(), good.replace('whsec', 'whsek')],
      ...[good.replaceAll('+', '-'), good.replace('==', '!!'), good.replace('+', '+\n')],
      ...[`${good} `, `=${good}`],
    ]
    expect(wrong.filter(signing.isWebhookSecret)).to.deep.equal([])
  })

  it('is compared as a whole, whatever its length', () => {
    expect(['', 'a'].map((secret) => signing.isSameSecret(secret, secret))).to.deep.equal([true, true])
    expect(['b', 'aa', ''].filter((other) => signing.isSameSecret('a', other))).to.deep.equal([])
  })
})

describe('the signature of a request', () => {
  // decision: Signature
  it('is that of the Standard Webhooks vector, in the three headers that receivers check, and not made with a secret without whsec_', () => {
    const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    expect(signing.signWebhook(VECTOR)).to.equal(signature)
    const signed = { 'webhook-timestamp': '1614265330', 'webhook-signature': signature }
    expect(signing.signatureHeaders(VECTOR)).to.deep.equal({ 'webhook-id': VECTOR.id, ...signed })
    expect(() => signing.signWebhook({ ...VECTOR, secret: VECTOR.secret.slice(6) })).to.throw('whsec_')
  })

  for (const [library, Verifier] of Object.entries({ StandardWebhook, SvixWebhook })) {
    // The tests of the programs in docs/receiving.md cover what StandardWebhook refuses.
    it(`is verified by ${library}, for fresh secrets and multi-byte bodies`, () => {
      const secret = signing.newWebhookSecret()
      const body = Buffer.from(JSON.stringify({ name: 'Žofie 😀 漢字', data: 'é'.repeat(1_000) }))
      const timestampSeconds = Math.floor(Date.now() / 1_000)
      const headers = signing.signatureHeaders({ secret, id: 'evt_1', timestampSeconds, body })
      const verifier = new Verifier(secret)
      expect(verifier.verify(body.toString(), headers)).to.deep.equal(JSON.parse(body.toString()))
      expect(() => verifier.verify(`${body.toString()} `, headers)).to.throw()
    })
  }
})
