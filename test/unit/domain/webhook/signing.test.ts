import { expect } from 'chai'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import {
  isSameSecret,
  isWebhookSecret,
  newWebhookSecret,
  signatureHeaders,
  signWebhook,
} from '../../../../src/domain/webhook/signing.ts'

/** The vector that the reference libraries of Standard Webhooks share. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestampSeconds: 1_614_265_330,
  body: Buffer.from('{"test": 2432232314}'),
}
const LIBRARIES = { standardwebhooks: StandardWebhook, svix: SvixWebhook }
const nowSeconds = () => Math.floor(Date.now() / 1_000)

function signed(overrides: Partial<typeof VECTOR> = {}) {
  const input = { ...VECTOR, id: 'evt_1', timestampSeconds: nowSeconds(), ...overrides }
  return { input, headers: signatureHeaders(input), text: input.body.toString('utf8') }
}

describe('newWebhookSecret', () => {
  it('is whsec_ and the base64 of 24 random bytes, without padding', () => {
    const secrets = Array.from({ length: 50 }, newWebhookSecret)
    for (const secret of secrets) expect(secret).to.match(/^whsec_[A-Za-z0-9+/]{32}$/)
    expect(new Set(secrets).size).to.equal(50)
  })
})

describe('a secret that a customer brings', () => {
  const secretOf = (bytes: number) => `whsec_${Buffer.alloc(bytes, 0xfb).toString('base64')}`

  // decision: Signature
  it('is whsec_ and the base64 of 24 to 64 bytes, with or without padding', () => {
    for (const bytes of [24, 25, 26, 64]) {
      for (const secret of [secretOf(bytes), secretOf(bytes).replace(/=+$/, '')]) {
        expect(isWebhookSecret(secret), secret).to.equal(true)
      }
    }
    const good = secretOf(25)
    for (const secret of [
      ...[
        secretOf(23),
        secretOf(65),
        good.slice(6),
        good.toUpperCase(),
        good.replace('whsec_', 'whsek_'),
        '',
      ],
      ...[
        good.replaceAll('+', '-'),
        good.replace('==', '!!'),
        `${good} `,
        good.replace('+', '+\n'),
        `=${good}`,
      ],
    ]) {
      expect(isWebhookSecret(secret), secret).to.equal(false)
    }
  })

  it('is compared as a whole, whatever its length', () => {
    const pairs = [
      ['a', 'a'],
      ['a', 'b'],
      ['a', 'aa'],
      ['', ''],
    ] as const
    expect(pairs.map(([given, current]) => isSameSecret(given, current))).to.deep.equal([
      true,
      false,
      false,
      true,
    ])
  })
})

describe('signWebhook', () => {
  // decision: Signature
  it('reproduces the Standard Webhooks vector', () => {
    expect(signWebhook(VECTOR)).to.equal('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })

  it('throws when the secret is not in the whsec_ form', () => {
    expect(() => signWebhook({ ...VECTOR, secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })).to.throw('whsec_')
  })

  it('names the three headers that receivers check', () => {
    expect(signatureHeaders(VECTOR)).to.deep.equal({
      'webhook-id': VECTOR.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })
})

for (const [library, Webhook] of Object.entries(LIBRARIES)) {
  describe(`a signature checked by ${library}`, () => {
    const verify = (text: string, headers: Record<string, string>, secret = VECTOR.secret) =>
      new Webhook(secret).verify(text, headers)
    const good = () => signed()

    it('verifies for fresh secrets and multi-byte bodies', () => {
      const secret = newWebhookSecret()
      const body = Buffer.from(JSON.stringify({ name: 'Žofie 😀 漢字', data: 'é'.repeat(1_000) }))
      const { headers, text } = signed({ secret, body })
      expect(verify(text, headers, secret)).to.deep.equal(JSON.parse(text))
    })

    it('verifies when one of several signatures is good', () => {
      const { headers, text } = good()
      const bad = signWebhook({ ...VECTOR, secret: newWebhookSecret() })
      const list = [bad, 'v1a,unknown', headers['webhook-signature']!, bad].join(' ')
      expect(() => verify(text, { ...headers, 'webhook-signature': list })).not.to.throw()
    })

    it('verifies 299 seconds off and fails 301 seconds off, in both directions', () => {
      for (const offset of [-299, 298]) {
        const { headers, text } = signed({ timestampSeconds: nowSeconds() + offset })
        expect(() => verify(text, headers), String(offset)).not.to.throw()
      }
      for (const offset of [-301, 302]) {
        const { headers, text } = signed({ timestampSeconds: nowSeconds() + offset })
        expect(() => verify(text, headers), String(offset)).to.throw()
      }
    })

    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) {
      it(`fails without ${name}`, () => {
        const { headers, text } = good()
        const rest = Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name))
        expect(() => verify(text, rest)).to.throw('Missing required headers')
      })
    }

    const CHANGES: Record<string, (headers: Record<string, string>) => Record<string, string>> = {
      'another id': (headers) => ({ ...headers, 'webhook-id': 'evt_2' }),
      'another timestamp': (headers) => ({ ...headers, 'webhook-timestamp': String(nowSeconds() - 10) }),
      'a timestamp that is no number': (headers) => ({ ...headers, 'webhook-timestamp': 'yesterday' }),
      'half a signature': (headers) => ({
        ...headers,
        'webhook-signature': headers['webhook-signature']!.slice(0, 20),
      }),
      'another version': (headers) => ({
        ...headers,
        'webhook-signature': headers['webhook-signature']!.replace('v1,', 'v2,'),
      }),
      'a bare version': (headers) => ({ ...headers, 'webhook-signature': 'v1,' }),
    }
    for (const [name, change] of Object.entries(CHANGES)) {
      it(`fails with ${name}`, () => {
        const { headers, text } = good()
        expect(() => verify(text, change(headers))).to.throw()
      })
    }

    it('fails with a changed body and with another secret', () => {
      const { headers, text } = good()
      expect(() => verify(text.replace('2432232314', '2432232315'), headers)).to.throw()
      expect(() => verify(text, headers, newWebhookSecret())).to.throw()
    })
  })
}
