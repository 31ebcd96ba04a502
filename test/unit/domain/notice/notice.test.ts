import { expect } from 'chai'
import * as mails from '../../../../src/domain/mail/mail.ts'
import * as messages from '../../../../src/domain/notice/channel.ts'
import * as notices from '../../../../src/domain/notice/notice.ts'
import { words } from '../../../support/words.ts'

const AT = new Date('2026-01-05T12:34:56.000Z')
const EVERYTHING: notices.NoticeFacts = { total: 7, at: AT, error: 'http_503' }

describe('the message of a notice', () => {
  const say = (kind: notices.NoticeKind, facts: Partial<notices.NoticeFacts> = EVERYTHING) =>
    notices.noticeMessage(notices.noticeOf({ kind, tenant: null, targetId: '', causeAt: AT }, facts))

  for (const kind of notices.NOTICE_KINDS)
    it(`of ${kind} is one or more whole sentences, also where a fact is missing`, () => {
      for (const facts of [EVERYTHING, {}])
        expect(say(kind, facts))
          .to.match(/^[A-Z0-9].*\.$/)
          .and.not.match(/undefined|null|NaN|, \./)
    })

  it('has the exact times, numbers and codes', () => {
    const at = AT.toISOString()
    expect(say('webhook_failing')).to.include(`since ${at} failed, the latest with http_503.`)
    expect(say('webhook_failing', {})).to.match(/^All attempts since an unknown time failed\. Deliveries /)
    expect(say('webhook_disable_warning')).to.include(`deactivates the webhook at ${at} or later`)
    expect(say('webhook_disabled')).to.include(`since ${at} failed, the latest with http_503, so the service`)
    expect(say('webhook_backlog')).to.match(/^7 deliveries waited/)
    expect(say('deliveries_failed')).to.match(/^7 deliveries .* in the hour from 2026-01-05T12:00:00.000Z/)
    expect(say('deliveries_failed', { total: 1 })).to.match(/^1 delivery failed/)
    for (const kind of ['key_expires_in_7_days', 'key_expires_in_1_day'] as const)
      expect(say(kind)).to.include(`expires at ${at}.`)
    expect(say('key_grace_ends_in_1_day')).to.include(`grace period ends at ${at}.`)
    expect(say('most_endpoints_fail')).to.match(/^The endpoints of 7 companies, more than half/)
  })
})

describe('a notice', () => {
  it('is of the hour of its cause, and says nothing that nobody knows', () => {
    const what = { kind: 'webhook_gone', tenant: null, targetId: 'whk_1' } as const
    const notice = { ...what, total: null, at: null, error: null, hour: new Date('2026-01-05T12:00:00.000Z') }
    expect(notices.noticeOf({ ...what, causeAt: AT })).to.deep.equal(notice)
    expect(notices.noticeOf({ ...what, causeAt: AT }, { total: 7 })).to.deep.equal({ ...notice, total: 7 })
    const ofKey = { kind: 'key_expires_in_1_day', targetId: 'key_1' } as const
    expect([what, ofKey].map(notices.webhookOf)).to.deep.equal(['whk_1', null])
    expect([what, ofKey].map(notices.keyOf)).to.deep.equal([null, 'key_1'])
  })
})

describe('the message of a channel', () => {
  const notice = { kind: 'webhook_failing', webhook_id: null, key_id: null, environment: 'live' } as const
  const sent = { id: 'ntc_1', event: 'notices', created_at: AT.toISOString(), more: 0 }
  const told = (...data: object[]) => ({ ...sent, data }) as unknown as messages.ChannelMessage
  const named = { ...notice, name: 'CRM', webhook_id: 'whk_1', message: 'It fails.' }
  const other = { ...notice, name: null, message: 'Most fail.' }

  it('has a line for each notice with its webhook or key and a word where it is of tests, and says how many more there are', () => {
    const lines = (message: messages.ChannelMessage) => messages.messageSlack(message).text.split('\n')
    const key = { ...notice, name: null, key_id: 'key_1', environment: 'test', message: 'It ends.' }
    const unnamed = { ...named, name: null }
    const all = ['CRM: It fails.', 'whk_1: It fails.', 'key_1 (test): It ends.', 'Most fail.']
    expect(lines(told(named, unnamed, key, other))).to.deep.equal(all)
    const more = ['CRM: It fails.', 'And 3 more. The list of notices has them all.']
    expect(lines({ ...told(named), more: 3 })).to.deep.equal(more)
    const test = lines({ ...told(), event: 'notices.test' })
    expect(test).to.deep.equal(['This is a test of the channel. Notices will come here.'])
    expect(lines(told({ ...other, message: '<a & b>' }))).to.deep.equal(['&lt;a &amp; b&gt;'])
  })

  it('as a mail has the one notice or the number of them as its subject, on one line of 120 characters', () => {
    const one = { subject: 'CRM: It fails.', text: 'CRM: It fails.\n' }
    expect(messages.messageMail(told(named))).to.deep.equal(one)
    const both = { subject: '2 notices of your webhooks and keys', text: `${one.text}\nMost fail.\n` }
    expect(messages.messageMail(told(named, other))).to.deep.equal(both)
    expect(messages.messageMail({ ...told(named), more: 3 }).subject).to.match(/^4 notices/)
    const { subject } = messages.messageMail(told({ ...other, message: `a\r\n b${'x'.repeat(200)}` }))
    expect(subject).to.equal(`a b${'x'.repeat(115)}`)
  })

  it('waits as the ids of 20 notices and the number of the others, and its target is shown without what gives access', () => {
    const ids = (from: number, count: number) => Array.from({ length: count }, (_, n) => `ntc_${from + n}`)
    expect(messages.addPending(null, ids(0, 20))).to.deep.equal({ ids: ids(0, 20), more: 0 })
    const more = messages.addPending({ ids: ids(0, 18), more: 2 }, ids(18, 5))
    expect(more).to.deep.equal({ ids: ids(0, 20), more: 5 })
    expect(messages.maskTarget('email', 'ada@example.com')).to.equal('a…@example.com')
    const slack = 'https://hooks.slack.com:8443/'
    expect(messages.maskTarget('slack', `${slack}services/T0K3N`)).to.equal(`${slack}…`)
    for (let n = 0; n < 50; n++) expect(messages.newChannelCode()).to.match(/^\d{8}$/)
  })
})

describe('an address of a mail', () => {
  it('is one plain address of 254 bytes at most, without anything that means something in a header', () => {
    const longest = `${'x'.repeat(242)}@example.com`
    for (const right of [...words("ada@example.com o'hara+1@b žofie@bücher.example"), longest])
      expect(mails.isMailAddress(right), right).to.equal(true)
    const wrong = words(String.raw`ada @b a@ a@b@c a@b; a"@b a\@b a(x)@b a@[::1]`)
    const odd = ['', 'Ada <a@b>', 'a@b, c@d', 'a b@c', 'a@b\nBcc: c', 'a@b\0']
    const tooLong = [`x${longest}`, `${'ž'.repeat(122)}@example.com`]
    expect([...wrong, ...odd, ...tooLong].filter(mails.isMailAddress)).to.deep.equal([])
  })

  it('shares the limits of all that lead to the same mailbox', () => {
    const one = 'ada@xn--bcher-kva.example'
    for (const text of ['ada@bücher.example', 'A.da+x+y@BÜCHER.example.', 'ａｄａ@bücher.example'])
      expect(mails.mailboxOf(text), text).to.equal(one)
    expect(mails.mailboxOf('+x@b.example'), 'nothing is left of it').to.equal('+x@b.example')
    expect(mails.mailboxOf('a@b c'), 'no host').to.equal('a@b c')
  })
})
