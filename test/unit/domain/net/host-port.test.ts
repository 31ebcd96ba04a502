import { expect } from 'chai'
import { formatHostPort, isLoopbackHost, parseHostPort } from '../../../../src/domain/net/host-port.ts'
import { words } from '../../../support/words.ts'

describe('addresses of processes', () => {
  it('are a name, an IPv4 or an IPv6 address, and a port, and are written back so, but for brackets that former releases left out', () => {
    for (const [text, host, port] of [
      ['worker-1_a.example:3001', 'worker-1_a.example', 3001],
      ['10.0.0.7:1', '10.0.0.7', 1],
      ['[fd00::7]:65535', 'fd00::7', 65_535],
      ['[fe80::1%eth0]:3001', 'fe80::1%eth0', 3001],
    ] as const) {
      expect(parseHostPort(text)).to.deep.equal({ host, port })
      expect(formatHostPort({ host, port })).to.equal(text)
    }
    expect(parseHostPort('::1:3001')).to.deep.equal({ host: '::1', port: 3001 })
  })

  for (const text of ['', 'a b:1', 'a\nb:1', ...words('a a: :1 a:0 a:65536 a:1e3 a:+1 [a]:1 [::1] []:1')])
    it(`are not "${text}"`, () => expect(parseHostPort(text)).to.equal(undefined))
  it('are on this machine where the host is localhost, 127.0.0.0/8 or ::1', () => {
    const own = words('localhost LOCALHOST 127.0.0.1 127.255.0.12 ::1 [::1]')
    expect(own.filter((host) => !isLoopbackHost(host))).to.deep.equal([])
    const others = '127.1 127.0.0.1.example localhost.example a.localhost x127.0.0.1 ::11 128.0.0.1 127.a.b.c'
    expect(words(others).filter(isLoopbackHost)).to.deep.equal([])
  })
})
