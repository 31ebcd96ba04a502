import { promises as dns } from 'node:dns'
import { expect, use } from 'chai'
import chaiAsPromised from 'chai-as-promised'
import { createHostResolver } from '../../../src/sending/host-resolver.ts'
import { UnreachableError, WorkerFault } from '../../../src/sending/failures.ts'
import { startDnsServer, type DnsAnswer, type DnsServer } from '../../support/dns-server.ts'
import { untilSo } from '../../support/poll.ts'

use(chaiAsPromised)

describe('the host resolver', () => {
  let server: DnsServer
  let answerTo: (name: string, ipVersion: 4 | 6) => DnsAnswer
  before(async () => {
    server = await startDnsServer((name, ipVersion) => answerTo(name, ipVersion))
  })
  after(() => server.close())
  beforeEach(() => (server.rootAnswer = []))
  const inTime = new AbortController().signal
  const resolve = (host: string) => createHostResolver([server.address]).resolve(host, inTime)

  it('gives the addresses of both IP versions, IPv4 first, or of one when the other has none or fails', async () => {
    answerTo = () => ['2606:4700::1111', '203.0.113.7', '1.1.1.1']
    expect(await resolve('both.example')).to.deep.equal(['203.0.113.7', '1.1.1.1', '2606:4700::1111'])
    answerTo = (_name, ipVersion) => (ipVersion === 4 ? ['1.1.1.1'] : 'NXDOMAIN')
    expect(await resolve('four.example')).to.deep.equal(['1.1.1.1'])
    answerTo = (_name, ipVersion) => (ipVersion === 6 ? ['2606:4700::1111'] : 'SERVFAIL')
    expect(await resolve('six.example')).to.deep.equal(['2606:4700::1111'])
  })

  it('does not wait for the time-out of one IP version when the other answered', async () => {
    answerTo = (_name, ipVersion) => (ipVersion === 4 ? ['1.1.1.1'] : 'silent')
    const patient = new dns.Resolver({ timeout: 2_000, tries: 2 })
    patient.setServers([server.address])
    let isTimedOut = false
    const other = patient.resolve6('half-silent.example').catch(() => (isTimedOut = true))
    expect(await resolve('half-silent.example')).to.deep.equal(['1.1.1.1'])
    expect(isTimedOut).to.equal(false)
    patient.cancel()
    await other
  })

  for (const answer of ['NXDOMAIN', 'SERVFAIL', []] as DnsAnswer[])
    it(`answers dns_error to ${JSON.stringify(answer)}`, async () => {
      answerTo = () => answer
      await expect(resolve('none.example')).to.be.rejectedWith('dns_error')
    })

  it('takes at most 16 addresses, and keeps no cache: the second connection sees what the name says by then', async () => {
    answerTo = () => Array.from({ length: 20 }, (_, index) => `1.1.1.${index + 1}`)
    expect(await resolve('many.example')).to.have.length(16)
    const resolver = createHostResolver([server.address])
    answerTo = () => ['1.1.1.1']
    expect(await resolver.resolve('moving.example', inTime)).to.deep.equal(['1.1.1.1'])
    answerTo = () => ['127.0.0.1']
    expect(await resolver.resolve('moving.example', inTime)).to.deep.equal(['127.0.0.1'])
  })

  describe('when a lookup gets no answer', () => {
    /** Returns a resolver that probes often, so that it soon detects dead or recovered name servers. */
    const hasty = (address = server.address) =>
      createHostResolver([address], { queryTimeoutMs: 300, downForMs: 300 })
    /** The result of a lookup that is cancelled after a moment, as at the end of an attempt's time. */
    async function verdictOn(
      host: string,
      resolver = createHostResolver([server.address]),
      isOver = AbortSignal.timeout(300),
    ): Promise<string> {
      const error: unknown = await resolver.resolve(host, isOver).catch((reason: unknown) => reason)
      if (error instanceof UnreachableError) return `endpoint: ${error.reason}`
      return error instanceof WorkerFault ? `worker: ${error.reason}` : String(error)
    }
    const rootQueries = () => server.queries.filter((name) => name === '').length

    for (const rootAnswer of [[], 'NXDOMAIN', 'REFUSED'] as DnsAnswer[])
      it(`blames the zone when the resolver lives: it answers ${JSON.stringify(rootAnswer)} for the root`, async () => {
        server.rootAnswer = rootAnswer
        answerTo = (name) => (name === 'broken.example' ? 'silent' : ['1.1.1.1'])
        expect(await verdictOn('broken.example')).to.equal('endpoint: dns_error')
        answerTo = () => 'SERVFAIL'
        expect(await verdictOn('broken.example')).to.equal('endpoint: dns_error')
      })

    for (const answer of ['silent', 'SERVFAIL'] as const)
      it(`blames the worker when the resolver has nothing else for any name: ${answer}`, async () => {
        server.rootAnswer = answer
        answerTo = () => answer
        expect(await verdictOn('any.example', hasty())).to.equal('worker: resolver')
      })

    it('blames the worker when nobody listens at the address of the resolver, and asks nothing more when that says that there is no such name', async () => {
      const gone = await startDnsServer(() => [])
      await gone.close()
      expect(await verdictOn('any.example', hasty(gone.address))).to.equal('worker: resolver')
      server.rootAnswer = 'silent'
      answerTo = () => 'NXDOMAIN'
      const asked = rootQueries()
      expect(await verdictOn('none.example')).to.equal('endpoint: dns_error')
      expect(rootQueries()).to.equal(asked)
    })

    // decision: Dead name servers and a broken zone
    it('asks a dead resolver once for many lookups, says that it is down, and sees it come back by itself', async () => {
      server.rootAnswer = 'silent'
      answerTo = () => 'silent'
      const resolver = hasty()
      expect(resolver.isUp()).to.equal(true)
      const asked = rootQueries()
      const isOver = AbortSignal.timeout(300)
      const names = Array.from({ length: 50 }, (_, index) => `name-${index}.example`)
      const verdicts = await Promise.all(names.map((name) => verdictOn(name, resolver, isOver)))
      expect([...new Set(verdicts)]).to.deep.equal(['worker: resolver'])
      // One query and its repetition.
      expect(rootQueries() - asked).to.be.within(1, 2)
      expect(resolver.isUp()).to.equal(false)
      server.rootAnswer = []
      await untilSo(() => resolver.isUp())
      expect(await verdictOn('name-1.example', resolver)).to.equal('endpoint: dns_error')
    })
  })
})
