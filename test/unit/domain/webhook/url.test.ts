import { expect } from 'chai'
import { parseNetworks } from '../../../../src/domain/net/addresses.ts'
import { checkWebhookUrl } from '../../../../src/domain/webhook/url.ts'
import { words } from '../../../support/words.ts'

const check = (raw: string, allowed = '') => {
  const verdict = checkWebhookUrl(raw, parseNetworks(allowed))
  return verdict.ok ? { href: verdict.url.href } : { reason: verdict.reason }
}
const reasonOf = (raw: string, allowed?: string) => check(raw, allowed).reason
const hrefOf = (raw: string, allowed?: string) => check(raw, allowed).href

const TOO_LONG = [`https://${'a'.repeat(64)}.com`, `https://${'a.'.repeat(126)}com`]
const NOT_HTTPS = words('http://example.com ftp://example.com example.com //example.com javascript:x')
const REPAIRED = words(`
  https:example.com https:example.com/https://example.com/ https:/example.com https:///example.com
  https:// https:/// https://?a
`)
const SIGNED_IN = words(
  'https://u@a.example https://u:pass@a.example https://@a.example https://a.com:x@b.com/',
)
const EMPTY_LABELS = words('https://a..com https://.a.com https://a.com.. https://./ https://a。。com')
const NO_HOSTS = words(
  'https://exa<mple.com https://[::1 https://a.com:99999 https://%00.com https://1.2.3.256',
)
const PORTS = [22, 25, 53, 110, 143, 587, 993, 6000, 6667, 10080, 0]

const REFUSED: readonly [what: string, reason: string, urls: readonly string[]][] = [
  ['what is not HTTPS', 'HTTPS protocol', ['', ' https://example.com', ...NOT_HTTPS]],
  ['what the URL parser would repair into HTTPS', 'The URL', ['https:\\\\a.com', ...REPAIRED]],
  [
    'spaces, control characters, backslashes and lone surrogates',
    'spaces, control characters or backslashes',
    [
      ...['https://exa\tmple.com', 'https://exa\nmple.com', 'https:/\\example.com'],
      ...[' ', '/a b', '\r\nx: y', '\\@evil.com', '/\0', '/\u2028', '/\ud800'].map(
        (end) => `https://example.com${end}`,
      ),
    ],
  ],
  ['user names and passwords', 'user name or password', SIGNED_IN],
  ['fragments', 'fragment', words('https://example.com/#a https://example.com# https://example.com/?a=1#b')],
  ['more than 2,048 characters', 'longer than 2048', [`https://example.com/${'a'.repeat(2_029)}`]],
  ['host names beyond the limits of DNS', 'too long', TOO_LONG],
  ['empty labels', 'empty part', EMPTY_LABELS],
  ['hosts that are no host', 'not valid', NO_HOSTS],
  ['ports of other protocols', 'is not allowed', PORTS.map((port) => `https://example.com:${port}/`)],
  [
    'local names, and every spelling of a blocked IPv4 or IPv6 address',
    'public address',
    words(`
      localhost LOCALHOST localhost. a.localhost localhost。 ⓛocalhost
      127.0.0.1 127.1 2130706433 0x7f000001 0177.0.0.1 127.0.0.1. 0x7f.1 127。0。0。1 １２７.0.0.1 ①②⑦.0.0.1
      %31%32%37.0.0.1 10.0.0.1 169.254.169.254 192.168.1.1 0 168.63.129.16
      [::1] [::] [::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:0:0:1] [fd00::1] [fe80::1] [::127.0.0.1]
      [64:ff9b::127.0.0.1] [2002:7f00:1::]
    `).flatMap((host) => [`https://${host}`, `https://${host}/latest`]),
  ],
]

describe('checkWebhookUrl', () => {
  for (const [name, reason, urls] of REFUSED) {
    // decision: URLs
    it(`refuses ${name}`, () => {
      for (const url of urls) expect(reasonOf(url), JSON.stringify(url)).to.contain(reason)
    })
  }

  // decision: No DNS at creation
  it('accepts HTTPS URLs of public hosts and returns the form to send to, without asking a name server: a name that points anywhere passes', () => {
    for (const [given, sent] of [
      ['https://example.com', 'https://example.com/'],
      ['HTTPS://Example.COM:443/Hook?A=b', 'https://example.com/Hook?A=b'],
      ['https://example.com:8443/a', 'https://example.com:8443/a'],
      ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
      ['https://example.com./a', 'https://example.com/a'],
      ['https://8.8.8.8/', 'https://8.8.8.8/'],
      ['https://[2606:4700::1111]:8443/', 'https://[2606:4700::1111]:8443/'],
      ['https://example.com/a@b', 'https://example.com/a@b'],
    ] as const)
      expect(hrefOf(given)).to.equal(sent)
    expect(hrefOf(`https://example.com/${'a'.repeat(2_028)}`)).to.be.a('string')
    expect(hrefOf(`https://${'a'.repeat(63)}.com`)).to.be.a('string')
    expect(hrefOf(`https://${'a.'.repeat(125)}com`), '253 characters').to.be.a('string')
    expect(hrefOf('https://does-not-exist.invalid/')).to.equal('https://does-not-exist.invalid/')
  })

  it('lets exempted addresses through, on the exempted port only, and on no port of another protocol', () => {
    expect(reasonOf('https://127.0.0.1:6000/', '127.0.0.0/8')).to.contain('port 6000')
    expect(hrefOf('https://127.0.0.1:8443/', '127.0.0.1:8443')).to.equal('https://127.0.0.1:8443/')
    expect(reasonOf('https://127.0.0.1:9443/', '127.0.0.1:8443')).to.contain('public address')
    expect(reasonOf('https://127.0.0.2:8443/', '127.0.0.1:8443')).to.contain('public address')
    expect(hrefOf('https://[::1]/', '[::1/128]:443')).to.equal('https://[::1]/')
    expect(hrefOf('https://10.1.2.3/', '10.0.0.0/8')).to.equal('https://10.1.2.3/')
  })

  it('lets localhost through when 127.0.0.1 is exempted, and only then', () => {
    expect(hrefOf('https://localhost:8443/', '127.0.0.1:8443')).to.equal('https://localhost:8443/')
    expect(reasonOf('https://localhost:9443/', '127.0.0.1:8443')).to.contain('public address')
    expect(reasonOf('https://localhost/', '[::1/128]:443')).to.contain('public address')
    expect(reasonOf('https://a.localhost/', '127.0.0.0/8')).to.contain('public address')
  })
})
