import { expect } from 'chai'
import { newId } from '../../../src/domain/ids.ts'
import type { NoticeKind } from '../../../src/domain/notice/notice.ts'
import { makeNotice } from '../../support/notices.ts'
import { verdictOf, type ApiAnswer, type Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { words } from '../../support/words.ts'

const NOTICES = '/api-v1-notices'

describe('the list of notices over HTTP', () => {
  const use = useStack('quiet')
  const get = (query = ''): Promise<ApiAnswer> => use.tenant.request('GET', `${NOTICES}${query}`)
  const idsOf = ({ body }: ApiAnswer): string[] => body.data.map(({ id }: Json) => id)
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
  const make = (kind: NoticeKind, second: number, facts: Parameters<typeof makeNotice>[3] = {}) =>
    makeNotice(use.stack.db, use.tenant.tenant, kind, { createdAt: at(second), ...facts })

  it('shows what each is about, in words and with ids', async () => {
    const webhookId = newId('webhook')
    await make('webhook_failing', 1, { targetId: webhookId, at: at(0), error: 'http_503' })
    const keyId = newId('apiKey')
    await make('key_expires_in_1_day', 2, { targetId: keyId, at: at(59) })
    const ids = [await make('deliveries_failed', 3, { total: 12 })]
    const doneBy = newId('user')
    await use.stack.set('notices', { id: ids[0]! }, { done_at: at(4), done_by: doneBy })
    const { body } = await get()
    expect(body.pagination).to.deep.equal({ limit: 50, has_more: false, next_cursor: null })
    const [failed, key, failing] = body.data
    const fields = words('id kind webhook_id key_id name message at error count created_at done_at done_by')
    expect(failed).to.have.all.keys(fields)
    expect(failed).to.include({ id: ids[0], kind: 'deliveries_failed', count: 12, key_id: null })
    expect(failed).to.include({ done_at: at(4).toISOString(), done_by: doneBy })
    expect(failed.message).to.match(/^12 deliveries failed for good/)
    expect(key).to.include({ webhook_id: null, key_id: keyId, count: null, created_at: at(2).toISOString() })
    expect(key.message).to.include(`expires at ${at(59).toISOString()}`)
    const cause = { at: at(0).toISOString(), error: 'http_503' }
    expect(failing).to.include({ webhook_id: webhookId, key_id: null, count: null, ...cause })
    expect(failing.message).to.include('http_503')
  })

  // decision: Notices of a deleted webhook
  it('keeps the notices of a webhook that is deleted; the webhook is 404', async () => {
    const body = { name: 'a', url: 'https://example.com/', events: ['deal.created'] }
    const created = await use.tenant.request('POST', '/api-v1-webhooks', body)
    const targetId: string = created.body.data.id
    const id = await make('webhook_gone', 1, { targetId })
    await use.tenant.request('DELETE', `/api-v1-webhooks/${targetId}`)
    expect(idsOf(await get())).to.deep.equal([id])
    const gone = '404 NOT_FOUND'
    expect(verdictOf(await use.tenant.request('GET', `/api-v1-webhooks/${targetId}`))).to.equal(gone)
  })
})
