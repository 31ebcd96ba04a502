import { expect } from 'chai'
import { createKeyring } from '../../support/use-operations.ts'
import { useConsole, verdictOf } from '../../support/console.ts'
import { clientOf } from '../../support/tenants.ts'
import { untilIs } from '../../support/poll.ts'

// decision: The audit
describe('the audit over HTTP', () => {
  const its = useConsole()

  it('says who changed what, before and after, to a live key that may read everything and to the console', async () => {
    const { client, id } = await its.person()
    const key = { name: '=CRM', scopes: ['read:all'], type: 'Shared' }
    const { id: keyId } = (await client.call('POST', '/keys', key)).body.data
    await client.call('PATCH', `/keys/${keyId}`, { name: 'ERP' })
    const query = `?target=${keyId}&actor=${id}&action=key.update&created_after=2020-01-01T00:00:00Z`
    const { body } = await client.call('GET', `/audit${query}`)
    expect(body.data).to.have.length(1)
    const [entry] = body.data
    expect(entry.changes).to.deep.equal([{ field: 'name', before: '=CRM', after: 'ERP' }])
    expect(entry.summary).to.match(/^Person \d+ changed the API key “ERP”: name =CRM → ERP/)
    expect(entry.target).to.deep.equal({ id: keyId, name: 'ERP' })
    expect((await client.call('GET', `/keys/${keyId}/history`)).body.data[0]).to.deep.equal(entry)
    for (const wrong of ['actor=Ann', 'action=key', 'target=x y', 'page=1', 'cursor=e30'])
      expect(await client.verdict('GET', `/audit?${wrong}`), wrong).to.equal('400 VALIDATION_ERROR')

    const keyring = await createKeyring(its.deps)
    const get = async (environment: 'live' | 'test') => {
      const { secret } = await keyring.create({ scopes: ['read:all'] }, environment)
      return clientOf(its.stack.api.url, secret)('GET', '/api-v1-audit?action=key.create')
    }
    const live = await get('live')
    expect([live.status, live.body.data[0].actor]).to.deep.equal([200, { id: 'cli', name: null }])
    const sandbox = await get('test')
    expect(verdictOf(sandbox)).to.equal('403 INSUFFICIENT_PERMISSIONS')
    expect(sandbox.body.error.message).to.match(/only a live key reads it/)
  })

  /** Fills the company's audit with more than a connection buffers: 2 ** doublings entries of 3 KiB. */
  async function fillAudit(doublings: number) {
    const [before, after] = ['x', 'y'].map((letter) => ({ filter: letter.repeat(450) }))
    const details = JSON.stringify({ before, after })
    const columns = 'company_id, at, actor, action, subject_id, details'
    const { db } = its.deps
    await db.raw(
      `INSERT INTO audit (${columns}) VALUES (?, '2020-01-01', 'cli', 'webhook.update', 'whk_1', ?)`,
      [its.companyId, details],
    )
    for (let doubling = 0; doubling < doublings; doubling++)
      await db.raw(
        `INSERT INTO audit (${columns}) SELECT ${columns} FROM audit WHERE company_id = ? AND action = 'webhook.update'`,
        [its.companyId],
      )
  }

  it('is exported no further than the session goes: the file is cut off, and JSON lines end with the refusal', async () => {
    const { client: admin } = await its.person()
    await fillAudit(13)
    for (const [format, last] of [
      ['jsonl', /^{"error":{"code":"UNAUTHORIZED","message":"Sign in/],
      ['csv', /"webhook.update"/],
    ] as const) {
      const { client, id } = await its.person()
      const answer = await fetch(`${client.url}${client.at(`/audit/export?format=${format}`)}`, {
        headers: { cookie: client.cookieHeader },
      })
      expect(await admin.verdict('DELETE', `/users/${id}`)).to.equal('200')
      let text = ''
      const whole = (async () => {
        for await (const bytes of answer.body!) text += Buffer.from(bytes).toString('latin1')
        return 'whole'
      })()
      expect(await whole.catch(() => 'cut off'), format).to.equal('cut off')
      const lines = text.trimEnd().split('\n')
      expect(lines.length).to.be.within(100, 8_000)
      expect(lines.at(-1)).to.match(last)
    }
  })

  it('is exported as the client reads it, twice at once in a company; whoever stops gives the place back', async () => {
    const { client } = await its.person()
    const url = `${client.url}${client.at('/audit/export')}`
    await fillAudit(12)
    const begin = async (query: string) => {
      const stop = new AbortController()
      const headers = { cookie: client.cookieHeader }
      const answer = await fetch(`${url}?${query}`, { headers, signal: stop.signal })
      return { answer, stop }
    }
    const [first, second] = [await begin('format=jsonl'), await begin('format=jsonl')]
    const fileName = /^attachment; filename="audit-.*\.jsonl"$/
    expect(first.answer.headers.get('content-disposition')).to.match(fileName)
    expect((await begin('format=csv')).answer.status).to.equal(429)
    first.stop.abort()
    await untilIs(async () => (await begin('format=csv&action=audit.export')).answer.status, 200)
    const lines = (await second.answer.text()).trim().split('\n')
    // The entries from before the export: the creation, the sign-in, the first export.
    expect(lines.length).to.be.within(4_096 + 2, 4_096 + 3)
    expect(JSON.parse(lines.at(-1)!)).to.deep.include({ action: 'webhook.update' })
    const csv = await begin('format=csv&action=audit.export')
    expect(csv.answer.headers.get('content-type')).to.equal('text/csv; charset=utf-8')
    const [head, line] = (await csv.answer.text()).split('\r\n')
    expect(head).to.match(/^"id","created_at","actor_id"/)
    expect(line).to.include('"audit.export"')
    expect(verdictOf(await client.call('GET', '/audit/export?format=xlsx'))).to.equal('400 VALIDATION_ERROR')
  })
})
