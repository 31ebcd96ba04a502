import { expect } from 'chai'
import { NOTICE_KINDS as ALL_KINDS, TENANT_NOTICES } from '../../../src/domain/notice/notice.ts'
import type { Key } from '../../../web/src/common/api/keys.ts'
import type { Notice, NoticeKind } from '../../../web/src/common/api/notices.ts'
import type { Webhook } from '../../../web/src/common/api/webhooks.ts'
import { NOTICE_KINDS, placeOf } from '../../../web/src/notices/notice-kinds.ts'
import { keyConcerns, webhookConcerns } from '../../../web/src/overview/attention.ts'

const webhook = (id: string, state: string, more: object = {}): Webhook =>
  ({
    ...{ id, name: id, deactivated_reason: null, ...more },
    health: {
      state,
      last_error: 'http_500',
      consecutive_failures: 3,
      failing_since: '2026-01-15T11:00:00.000Z',
    },
  }) as unknown as Webhook

const key = (id: string, state: Key['state'], expires_at: string | null): Key =>
  ({ id, name: id, state, expires_at }) as unknown as Key

describe('what needs attention', () => {
  it('is a webhook that fails, with its cause, and one that the service deactivated', () => {
    const concerns = webhookConcerns([
      webhook('whk_2', 'failing'),
      webhook('whk_4', 'disabled', { deactivated_reason: 'gone' }),
    ])
    expect(concerns.map(({ id }) => id)).to.deep.equal(['whk_2', 'whk_4'])
    expect(concerns[0]).to.include({ href: '/webhooks/whk_2', at: '2026-01-15T11:00:00.000Z' })
    expect(concerns[0]!.what).to.equal(
      '3 attempts failed in a row. The endpoint answered 500: it has a fault.',
    )
  })

  it('is a key that stops working, or the old one of a rotation', () => {
    const at = '2026-01-16T12:00:00.000Z'
    const concerns = keyConcerns([key('key_3', 'in_rotation', at), key('key_2', 'active', at)])
    expect(concerns.map(({ what }) => what)).to.deep.equal(['The old key stops working.', 'The key expires.'])
    expect(concerns[0]).to.include({ href: '/keys/key_3', at })
  })
})

describe('the notices of the console', () => {
  it('have a name for every kind that a company gets', () => {
    expect(Object.keys(NOTICE_KINDS)).to.have.members([...TENANT_NOTICES])
    expect(ALL_KINDS).to.have.length.above(TENANT_NOTICES.length)
  })

  it('lead to what they are about', () => {
    const place = (kind: NoticeKind, ids: Partial<Notice>) =>
      placeOf({ kind, webhook_id: null, key_id: null, ...ids } as Notice)[0]
    expect(place('webhook_gone', { webhook_id: 'whk_1' })).to.equal('/webhooks/whk_1')
    expect(place('deliveries_failed', { webhook_id: 'whk_1' })).to.equal('/webhooks/whk_1?status=failed')
    expect(place('key_expires_in_1_day', { key_id: 'key_1' })).to.equal('/keys/key_1')
  })
})
