import { expect, use } from 'chai'
import chaiAsPromised from 'chai-as-promised'
import { createHostResolver } from '../../src/activities/host-resolver.js'
import { startDnsServer, type DnsAnswer, type DnsServer } from '../support/dns-server.js'

use(chaiAsPromised)

describe('the host resolver', () => {
  let server: DnsServer
  let answerTo: (name: string, family: 4 | 6) => DnsAnswer
  before(async () => {
    server = await startDnsServer((name, family) => answerTo(name, family))
  })
  after(() => server.close())
  const resolve = (host: string) => createHostResolver([server.address])(host)

  it('gives the addresses of both families, IPv4 first', async () => {
    answerTo = () => ['2606:4700::1111', '203.0.113.7', '1.1.1.1']
    expect(await resolve('both.example')).to.deep.equal(['203.0.113.7', '1.1.1.1', '2606:4700::1111'])
  })

  it('gives what one family has when the other has none or fails', async () => {
    answerTo = (_name, family) => (family === 4 ? ['1.1.1.1'] : 'NXDOMAIN')
    expect(await resolve('four.example')).to.deep.equal(['1.1.1.1'])
    answerTo = (_name, family) => (family === 6 ? ['2606:4700::1111'] : 'SERVFAIL')
    expect(await resolve('six.example')).to.deep.equal(['2606:4700::1111'])
  })

  it('does not wait for the time-out of one family when the other answered', async () => {
    answerTo = (_name, family) => (family === 4 ? ['1.1.1.1'] : 'silent')
    const startedAtMs = performance.now()
    expect(await resolve('half-silent.example')).to.deep.equal(['1.1.1.1'])
    expect(performance.now() - startedAtMs).to.be.lessThan(1_500)
  })

  for (const answer of ['NXDOMAIN', 'SERVFAIL', []] as DnsAnswer[]) {
    it(`answers dns_error to ${JSON.stringify(answer)}`, async () => {
      answerTo = () => answer
      await expect(resolve('none.example')).to.be.rejectedWith('dns_error')
    })
  }

  it('takes at most 16 addresses', async () => {
    answerTo = () => Array.from({ length: 20 }, (_, index) => `1.1.1.${index + 1}`)
    expect(await resolve('many.example')).to.have.length(16)
  })

  it('keeps no cache: the second connection sees what the name says by then', async () => {
    const resolver = createHostResolver([server.address])
    answerTo = () => ['1.1.1.1']
    expect(await resolver('moving.example')).to.deep.equal(['1.1.1.1'])
    answerTo = () => ['127.0.0.1']
    expect(await resolver('moving.example')).to.deep.equal(['127.0.0.1'])
  })

  it('asks nobody for localhost', async () => {
    const asked = server.queries.length
    expect(await resolve('localhost')).to.deep.equal(['127.0.0.1', '::1'])
    expect(server.queries.length).to.equal(asked)
  })
})
