import { expect } from 'chai'
import { checkWebhookHeaders, withStoredValues } from '../../../../src/domain/webhook/headers.ts'
import { words } from '../../../support/words.ts'

const reasonOf = (headers: Record<string, string>) => {
  const verdict = checkWebhookHeaders(headers)
  return verdict.ok ? undefined : verdict.reason
}
const many = (count: number, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${10 + index}`, value]))

const RESERVED = words(`
  host content-length content-type content-encoding transfer-encoding connection keep-alive
  proxy-authorization proxy-connection te trailer trailers upgrade expect user-agent accept-encoding date
  via forwarded x-forwarded-for x-forwarded-host x-real-ip webhook-id webhook-signature webhook-anything
  x-amz-date x-goog-api-key metadata metadata-flavor x-google-metadata-request x-aws-ec2-metadata-token
  x-aws-ec2-metadata-token-ttl-seconds
`)

// decision: Custom headers
describe('checkWebhookHeaders', () => {
  for (const name of RESERVED)
    it(`refuses ${name} in any case`, () => {
      for (const spelling of [name, name.toUpperCase(), name[0]!.toUpperCase() + name.slice(1)])
        expect(reasonOf({ [spelling]: 'x' })).to.equal(
          `The header "${spelling}" is reserved and cannot be set.`,
        )
    })

  it('accepts what services ask for', () => {
    const usual = { Authorization: 'Bearer abc', 'X-Api-Key': 'k', Accept: '*/*', 'x_odd.name~1': 'a\tb' }
    const odd = { 'x-empty': '', 'x-latin': 'caf\xe9', hosting: 'x', 'content-language': 'en' }
    for (const headers of [{}, usual, odd]) expect(reasonOf(headers)).to.equal(undefined)
  })

  it('refuses names that are no token or longer than 64 characters, and escapes and cuts them in the answer', () => {
    expect(reasonOf({ [`x-${'a'.repeat(62)}`]: 'x' })).to.equal(undefined)
    expect(reasonOf({ [`x-${'a'.repeat(63)}`]: 'x' })).to.contain('longer than 64')
    for (const name of ['', ' ', 'a b', 'a:b', 'a\r\nb', 'ä', 'a(', 'a"', 'a/b', 'a\0'])
      expect(reasonOf({ [name]: 'x' }), name).to.equal(`${JSON.stringify(name)} is not a valid header name.`)
    expect(reasonOf({ [' '.repeat(5_000)]: 'x' })?.length).to.be.lessThan(200)
  })

  it('refuses values that could split the request or that HTTP does not carry, with a space or tab at an end, or larger than 4,096 bytes', () => {
    for (const value of ['a\r\nx-evil: 1', 'a\nb', 'a\rb', 'a\0', '\x7f', '\x85', '€', '😀', '\x1b[0m'])
      expect(reasonOf({ 'x-a': value }), JSON.stringify(value)).to.contain('not allowed')
    for (const value of [' a', 'a ', '\ta', 'a\t', ' '])
      expect(reasonOf({ 'x-a': value })).to.contain('space')
    expect(reasonOf({ 'x-a': 'v'.repeat(4_096) })).to.equal(undefined)
    expect(reasonOf({ 'x-a': 'v'.repeat(4_097) })).to.contain('longer than 4096')
  })

  it('refuses more than 20 headers and more than 16 KiB in all', () => {
    expect(reasonOf(many(20, 'v'))).to.equal(undefined)
    expect(reasonOf(many(21, 'v'))).to.contain('At most 20')
    expect(reasonOf(many(4, 'v'.repeat(4_092)))).to.equal(undefined)
    expect(reasonOf(many(4, 'v'.repeat(4_093)))).to.contain('16 KiB')
  })

  it('refuses a name given twice in different case, and never repeats a value, which may be a secret', () => {
    expect(reasonOf({ 'X-Tag': 'a', 'x-tag': 'b' })).to.equal('The header "x-tag" is given twice.')
    expect(reasonOf({ authorization: 'Bearer hunter2\n' })).not.to.contain('hunter2')
  })
})

describe('headers of which a client does not know all values', () => {
  it('keep the stored value of each that is null, and are refused where there is none', () => {
    const stored = { 'x-a': 'kept', 'x-b': 'replaced', 'x-c': 'gone' }
    const given = { 'x-a': null, 'x-b': 'new', 'x-d': '' }
    expect(withStoredValues(given, stored)).to.deep.equal({ 'x-a': 'kept', 'x-b': 'new', 'x-d': '' })
    for (const name of ['x-d', 'constructor'])
      expect(() => withStoredValues({ [name]: null }, stored))
        .to.throw(`"headers" has no stored value for "${name}": give one, or leave the header out.`)
        .with.property('code', 'VALIDATION_ERROR')
  })
})
