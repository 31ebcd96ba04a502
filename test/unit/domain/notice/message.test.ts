import { expect } from 'chai'
import { noticeMessage } from '../../../../src/domain/notice/message.ts'
import * as notices from '../../../../src/domain/notice/notice.ts'

const AT = new Date('2026-01-05T12:34:56.000Z')
const EVERYTHING: notices.NoticeFacts = { total: 7, at: AT, error: 'http_503' }

describe('the message of a notice', () => {
  const say = (kind: notices.NoticeKind, facts: Partial<notices.NoticeFacts> = EVERYTHING) =>
    noticeMessage(notices.noticeOf({ kind, tenant: null, targetId: '', causeAt: AT }, facts))

  for (const kind of notices.NOTICE_KINDS) {
    it(`of ${kind} is one or more whole sentences, also where a fact is missing`, () => {
      for (const facts of [EVERYTHING, {}]) {
        expect(say(kind, facts))
          .to.match(/^[A-Z0-9].*\.$/)
          .and.not.match(/undefined|null|NaN|, \./)
      }
    })
  }

  it('has the exact times, numbers and codes', () => {
    const at = AT.toISOString()
    expect(say('webhook_failing')).to.include(`since ${at} failed, the latest with http_503.`)
    expect(say('webhook_failing', {})).to.match(/^All attempts since an unknown time failed\. Deliveries /)
    expect(say('webhook_disable_warning')).to.include(`deactivates the webhook at ${at} or later`)
    expect(say('webhook_disabled')).to.include(`since ${at} failed, the latest with http_503, so the service`)
    expect(say('webhook_backlog')).to.match(/^7 deliveries waited/)
    expect(say('deliveries_failed')).to.match(/^7 deliveries .* in the hour from 2026-01-05T12:00:00.000Z/)
    expect(say('deliveries_failed', { total: 1 })).to.match(/^1 delivery failed/)
    for (const kind of ['key_expires_in_7_days', 'key_expires_in_1_day'] as const) {
      expect(say(kind)).to.include(`expires at ${at}.`)
    }
    expect(say('key_grace_ends_in_1_day')).to.include(`grace period ends at ${at}.`)
    expect(say('most_endpoints_fail')).to.match(/^The endpoints of 7 companies, more than half/)
  })
})

describe('a notice', () => {
  it('is of the hour of its cause, and says nothing that nobody knows', () => {
    const cause = { kind: 'webhook_gone', tenant: null, targetId: 'whk_1', causeAt: AT } as const
    const { causeAt, ...what } = cause
    const notice = { ...what, total: null, at: null, error: null, hour: new Date('2026-01-05T12:00:00.000Z') }
    expect(notices.noticeOf(cause)).to.deep.equal(notice)
    expect(notices.noticeOf(cause, { total: 7 })).to.deep.equal({ ...notice, total: 7 })
  })
})
