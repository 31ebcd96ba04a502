import { expect } from 'chai'
import { parseNetworks } from '../../../../src/domain/net/networks.ts'
import { checkWebhookUrl } from '../../../../src/domain/webhook/url.ts'
import { words } from '../../../support/words.ts'

const reasonOf = (raw: string, allowed = '') => {
  const verdict = checkWebhookUrl(raw, parseNetworks(allowed))
  return verdict.ok ? undefined : verdict.reason
}
const hrefOf = (raw: string, allowed = '') => {
  const verdict = checkWebhookUrl(raw, parseNetworks(allowed))
  return verdict.ok ? verdict.url.href : undefined
}

const REFUSED: Record<string, { reason: string; urls: readonly string[] }> = {
  'what is not HTTPS': {
    reason: 'HTTPS protocol',
    urls: [
      '',
      ' https://example.com',
      ...words('http://example.com ftp://example.com example.com //example.com javascript:x'),
    ],
  },
  'what the URL parser would repair into HTTPS': {
    reason: 'The URL',
    urls: [
      'https:\\\\a.com',
      ...words(`
      https:example.com https:example.com/https://example.com/ https:/example.com https:///example.com
      https:// https:/// https://?a
    `),
    ],
  },
  'spaces, control characters, backslashes and lone surrogates': {
    reason: 'spaces, control characters or backslashes',
    urls: [
      ...[
        'https://exa\tmple.com',
        'https://exa\nmple.com',
        'https://example.com/a b',
        'https://example.com\r\nx: y',
      ],
      ...[
        'https:/\\example.com',
        'https://example.com\\@evil.com',
        'https://example.com/\0',
        'https://example.com/\u2028',
      ],
      ...['https://example.com/\ud800', 'https://example.com '],
    ],
  },
  'user names and passwords': {
    reason: 'user name or password',
    urls: words(`
      https://user@example.com https://user:pass@example.com https://@example.com https://a.com:x@b.com/
    `),
  },
  fragments: {
    reason: 'fragment',
    urls: ['https://example.com/#a', 'https://example.com#', 'https://example.com/?a=1#b'],
  },
  'more than 2,048 characters': {
    reason: 'longer than 2048',
    urls: [`https://example.com/${'a'.repeat(2_029)}`],
  },
  'host names beyond the limits of DNS': {
    reason: 'too long',
    urls: [`https://${'a'.repeat(64)}.com`, `https://${'a.'.repeat(126)}com`],
  },
  'empty labels': {
    reason: 'empty part',
    urls: ['https://a..com', 'https://.a.com', 'https://a.com..', 'https://./', 'https://a。。com'],
  },
  'hosts that are no host': {
    reason: 'not valid',
    urls: words(`
      https://exa<mple.com https://[::1 https://a.com:99999 https://%00.com https://1.2.3.256
    `),
  },
  'ports of other protocols': {
    reason: 'is not allowed',
    urls: [22, 25, 53, 110, 143, 587, 993, 6000, 6667, 10080, 0].map(
      (port) => `https://example.com:${port}/`,
    ),
  },
  'local names': {
    reason: 'public address',
    urls: words(`
      https://localhost https://LOCALHOST/ https://localhost./ https://a.localhost https://localhost。/
      https://ⓛocalhost
    `),
  },
  'every spelling of a blocked IPv4 address': {
    reason: 'public address',
    urls: words(`
      https://127.0.0.1 https://127.1 https://2130706433 https://0x7f000001 https://0177.0.0.1
      https://127.0.0.1. https://0x7f.1 https://127。0。0。1 https://127.0.0.1 https://①②⑦.0.0.1
      https://%31%32%37.0.0.1 https://10.0.0.1 https://169.254.169.254/latest https://192.168.1.1 https://0
      https://168.63.129.16
    `),
  },
  'blocked IPv6 addresses': {
    reason: 'public address',
    urls: words(`
      https://[::1] https://[::] https://[::ffff:127.0.0.1] https://[::ffff:7f00:1]
      https://[0:0:0:0:0:0:0:1] https://[fd00::1] https://[fe80::1] https://[::127.0.0.1]
      https://[64:ff9b::127.0.0.1] https://[2002:7f00:1::]
    `),
  },
}

describe('checkWebhookUrl', () => {
  for (const [name, { reason, urls }] of Object.entries(REFUSED)) {
    // decision: URLs
    it(`refuses ${name}`, () => {
      for (const url of urls) expect(reasonOf(url), JSON.stringify(url)).to.contain(reason)
    })
  }

  it('accepts HTTPS URLs of public hosts and returns the form to send to', () => {
    expect(hrefOf('https://example.com')).to.equal('https://example.com/')
    expect(hrefOf('HTTPS://Example.COM:443/Hook?A=b')).to.equal('https://example.com/Hook?A=b')
    expect(hrefOf('https://example.com:8443/a')).to.equal('https://example.com:8443/a')
    expect(hrefOf('https://bücher.example/ü')).to.equal('https://xn--bcher-kva.example/%C3%BC')
    expect(hrefOf('https://example.com./a')).to.equal('https://example.com/a')
    expect(hrefOf('https://8.8.8.8/')).to.equal('https://8.8.8.8/')
    expect(hrefOf('https://[2606:4700::1111]:8443/')).to.equal('https://[2606:4700::1111]:8443/')
    expect(hrefOf('https://example.com/a@b')).to.equal('https://example.com/a@b')
    expect(hrefOf(`https://example.com/${'a'.repeat(2_028)}`)).to.be.a('string')
    expect(hrefOf(`https://${'a'.repeat(63)}.com`)).to.be.a('string')
    expect(hrefOf(`https://${'a.'.repeat(125)}com`), '253 characters').to.be.a('string')
  })

  // decision: No DNS at creation
  it('asks no name server: a name that points anywhere passes here', () => {
    expect(hrefOf('https://does-not-exist.invalid/')).to.equal('https://does-not-exist.invalid/')
  })

  it('lets exempted addresses through, on the exempted port only', () => {
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

  it('refuses ports of other protocols on exempted addresses too', () => {
    expect(reasonOf('https://127.0.0.1:6000/', '127.0.0.0/8')).to.contain('port 6000')
  })
})
