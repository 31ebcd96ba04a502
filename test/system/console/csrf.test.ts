import { expect } from 'chai'
import { PASSWORD, useConsole, verdictOf } from '../../support/console.ts'

const SESSION = '/console/api/session'
const REFUSED = '403 CSRF_TOKEN_INVALID'

describe('requests that other sites make in somebody’s name', () => {
  const its = useConsole()

  // decision: CSRF
  it('are refused with the token of another session, from another origin, from none, and where the browser says so', async () => {
    const { client, id } = await its.person()
    const { client: other } = await its.person()
    const { url } = client
    for (const [headers, verdict] of [
      [{}, '200'],
      [{ 'X-CSRF-Token': other.csrfToken }, REFUSED],
      [{ Origin: 'https://evil.example' }, REFUSED],
      [{ Origin: 'null' }, REFUSED],
      [{ Origin: url.replace('http:', 'https:') }, REFUSED],
      [{ Origin: url.replace('127.0.0.1', 'localhost') }, REFUSED],
      [{ Origin: '' }, REFUSED],
      [{ Origin: url, 'Sec-Fetch-Site': 'cross-site' }, REFUSED],
      [{ Origin: url, 'Sec-Fetch-Site': 'same-site' }, REFUSED],
      [{ Origin: url, 'Sec-Fetch-Site': 'none' }, REFUSED],
      [{ Origin: url, 'Sec-Fetch-Site': 'same-origin' }, '200'],
      [{ Origin: '', 'Sec-Fetch-Site': 'same-origin' }, '200'],
    ] as const) {
      const given = await client.verdict('PATCH', `/users/${id}`, { name: 'New name' }, headers)
      expect(given, JSON.stringify(headers)).to.equal(verdict)
    }
  })

  // decision: The audit
  it('export no audit, and so write none, for a link of another site or before anybody asked', async () => {
    const { client } = await its.person()
    for (const [headers, verdict] of [
      [{ 'Sec-Fetch-Site': 'cross-site' }, REFUSED],
      [{ 'Sec-Fetch-Site': 'same-site' }, REFUSED],
      [{ 'Sec-Fetch-Site': 'none', 'Sec-Purpose': 'prefetch;prerender' }, REFUSED],
      [{ 'Sec-Fetch-Site': 'none' }, '200'],
      [{ 'Sec-Fetch-Site': 'same-origin' }, '200'],
    ] as const) {
      const verdictOfExport = await client.verdict('GET', '/audit/export?format=csv', undefined, headers)
      expect(verdictOfExport, JSON.stringify(headers)).to.equal(verdict)
    }
    const { body } = await client.call('GET', '/audit?action=audit.export')
    expect(body.data).to.have.length(2)
  })

  it('are refused at the sign-in too: its token belongs to a cookie of the sign-in page', async () => {
    const { email } = await its.user()
    const body = { email, password: PASSWORD }
    const [mine, other] = [its.client(), its.client()]
    await other.session()
    expect(verdictOf(await mine.request('POST', SESSION, body))).to.equal(REFUSED)
    await mine.session()
    const foreign = { 'X-CSRF-Token': other.csrfToken }
    expect(verdictOf(await mine.request('POST', SESSION, body, foreign))).to.equal(REFUSED)
    const evil = { Origin: 'https://evil.example' }
    expect(verdictOf(await mine.request('POST', SESSION, body, evil))).to.equal(REFUSED)
    expect(verdictOf(await mine.request('POST', SESSION, body))).to.equal('200')
  })

  it('cannot sign somebody out', async () => {
    const { client } = await its.person()
    const answer = await client.request('DELETE', SESSION, undefined, { 'X-CSRF-Token': 'x' })
    expect(verdictOf(answer)).to.equal(REFUSED)
    expect((await client.session()).body.data.state).to.equal('signed_in')
  })
})
