import { expect } from 'chai'
import { copyCursor, readCopyPlace } from '../../../../src/domain/event/copy-cursor.ts'
import * as feed from '../../../../src/domain/event/feed.ts'
import { reachReason, type ReachFacts } from '../../../../src/domain/event/reach.ts'
import { RESOURCE_FAMILIES } from '../../../../src/domain/event/resources.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { listCursor, listFingerprint } from '../../../../src/domain/list-cursor.ts'
import { tenantKey } from '../../../../src/domain/tenant.ts'
import type { FilterVerdict } from '../../../../src/domain/webhook/filter/compile.ts'

const LIVE = { companyId: 'com_1', environment: 'live' } as const
const TEST = { companyId: 'com_1', environment: 'test' } as const

describe('the feed of a tenant', () => {
  /** A row whose last event has this position, with one event per letter. */
  const row = (position: number, letters: string): feed.FeedRow => ({
    position,
    entries: Array.from(letters, (id) => [id, 'contact.created'] as const),
  })

  it('keeps events that are published together in rows of 50, and gives those behind a place, oldest first', () => {
    const events = Array.from({ length: 120 }, (_, n) => ({ id: `evt_${n}`, type: 'deal.created' }))
    const rows = feed.rowsOfEvents(events)
    const shown = rows.map(({ entries, after }) => `${entries[0]?.[0]} ${entries.length} ${after}`)
    expect(shown).to.deep.equal(['evt_0 50 70', 'evt_50 50 20', 'evt_100 20 0'])
    expect(rows[0]?.entries[1]).to.deep.equal(['evt_1', 'deal.created'])
    const behind = (place: number) =>
      feed.entriesAfter([row(3, 'abc'), row(5, 'de')], place).map(({ position, id }) => `${id}${position}`)
    expect([0, 2, 5].map((place) => behind(place).join())).to.deep.equal(['a1,b2,c3,d4,e5', 'c3,d4,e5', ''])
  })

  it('is read from its oldest event, behind its latest, or from a place in between, and says when events behind that are gone', () => {
    const window = { head: 5, rows: [row(4, 'cd'), row(5, 'e')] }
    const none = { head: 5, rows: [] }
    for (const [place, found, read] of [
      ['start', window, 2],
      ['end', window, 5],
      ['start', none, 5],
      ...[2, 3, 5].map((known) => [known, window, known]),
    ] as [feed.FeedPlace, feed.FeedWindow, number][])
      expect(feed.checkPlace(LIVE, place, found), `${place}`).to.equal(read)
    const ahead = expect(() => feed.checkPlace(LIVE, 6, window)).to.throw('not a cursor')
    ahead.with.property('code', 'VALIDATION_ERROR')
    const oldest = `The oldest cursor is ${feed.feedCursor(LIVE, 2)};`
    const behind = expect(() => feed.checkPlace(LIVE, 1, window)).to.throw(oldest)
    behind.with.property('code', 'CURSOR_EXPIRED')
  })

  // decision: Cursors of the feed
  it('takes its own cursors alone, and a copy of a list those of its tenant and family', () => {
    const { contacts, deals } = RESOURCE_FAMILIES
    const ours = ['start', 'end', feed.feedCursor(LIVE, 70)]
    expect(ours.map((text) => feed.readFeedPlace(LIVE, text))).to.deep.equal(['start', 'end', 70])
    const place = { feedPlace: 70, after: newId('contact') }
    const copy = copyCursor(LIVE, contacts, place)
    expect(readCopyPlace(LIVE, contacts, copy)).to.deep.equal(place)
    expect(readCopyPlace(LIVE, contacts, 'start')).to.equal(undefined)
    const ofFeed = listFingerprint('feed', tenantKey(LIVE))
    const ofCopy = listFingerprint('copy', tenantKey(LIVE), 'contacts')
    const places = ['-1', '1x', 'x1', '1'.repeat(16), '']
    const others = places.map((at) => listCursor(ofFeed, at))
    for (const text of ['', 'x', feed.feedCursor(TEST, 70), copy, ...others])
      expect(() => feed.readFeedPlace(LIVE, text), text).to.throw('"after" is not a cursor of this feed')
    const ofOthers = [copyCursor(TEST, contacts, place), copyCursor(LIVE, deals, place)]
    ofOthers.push(copyCursor(LIVE, contacts, { ...place, after: newId('deal') }))
    ofOthers.push(...places.map((at) => listCursor(ofCopy, at, place.after)))
    for (const text of ['', 'end', feed.feedCursor(LIVE, 70), ...ofOthers])
      expect(() => readCopyPlace(LIVE, contacts, text), text)
        .to.throw('send start for the first part')
        .with.property('code', 'VALIDATION_ERROR')
  })
})

describe('why an event reached a webhook or did not', () => {
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 5) + seconds * 1_000)
  const delivery = { id: 'del_1', isRecovered: false }
  const sent = (seconds: number, more = {}) => ({
    delivery: { ...delivery, createdAt: at(seconds), ...more },
  })
  const pause = (from: number, endsAt: Date | null) => ({ pause: { startsAt: at(from), endsAt } })
  const paused = (from: number, to: number | null) => pause(from, to === null ? null : at(to))
  const changed = (seconds: number) => ({ filterChangedAt: at(seconds) })
  const other = { subscribes: false }

  it('is its delivery, or the first of these that explains why there is none', () => {
    for (const [reason, facts, verdict = null] of [
      ['delivered_to', sent(0)],
      ['sent_by_hand', { ...sent(1), ...paused(0, null) }],
      ['delivered_to', sent(1, { isRecovered: true })],
      ['inactive', { ...paused(0, null), ...other }],
      ...[null, 9, 0].map((to) => ['inactive', { ...paused(-9, to), ...other }]),
      ['type_not_subscribed', { ...paused(1, null), ...changed(1), ...other }, 'fails'],
      ['filter', paused(1, null), 'fails'],
      // A pause that began or ended this close to the event counts when no other reason explains it.
      ['inactive', { ...paused(5, null), ...changed(1) }, 'matches'],
      ['inactive', { ...paused(-9, -5), ...changed(1) }, 'matches'],
      ...[paused(6, null), paused(-9, -6), {}].map((pause) => ['type_not_subscribed', pause, 'matches']),
      ['type_not_subscribed', {}, 'too_much'],
      ...[changed(0), changed(1)].map((filter) => ['filter', filter, 'matches']),
      ['type_not_subscribed', changed(-1)],
    ] as [string, Partial<ReachFacts>, FilterVerdict['kind']?][]) {
      const none = { delivery: null, pause: null, subscribes: true, filterChangedAt: null }
      const judged = verdict && ({ kind: verdict } as FilterVerdict)
      const found = reachReason({ ...none, ...facts }, judged, at(0))
      expect(found, JSON.stringify([facts, verdict])).to.equal(reason)
    }
  })
})
