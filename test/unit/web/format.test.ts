import { expect } from 'chai'
import { codePieces } from '../../../web/src/common/format/code-pieces.ts'
import { cutText } from '../../../web/src/common/format/cut-text.ts'
import { countdown, inMs, inWords } from '../../../web/src/common/format/durations.ts'
import * as local from '../../../web/src/common/format/local-times.ts'
import { percent, plural } from '../../../web/src/common/format/numbers.ts'
import * as times from '../../../web/src/common/format/times.ts'
import { Clock } from '../../../web/src/common/ui/now.ts'
import { until } from '../../support/poll.ts'

const NOW = new Date('2026-01-15T12:00:00.000Z')

const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000)

describe('how the console writes figures', () => {
  it('writes durations with their two largest units, and counts down to the second and never below zero', () => {
    const written = [0, 5, 90, 7_200, 86_390, 200_000].map(inWords)
    expect(written).to.deep.equal(['0 s', '5 s', '1 min 30 s', '2 h', '1 d', '2 d 8 h'])
    expect([87, 1_240, 15_003].map(inMs)).to.deep.equal(['87 ms', '1.24 s', '15 s'])
    expect(countdown(later(86_400 + 3_723), NOW)).to.equal('1 d 01:02:03')
    expect(countdown(later(59), NOW)).to.equal('00:00:59')
    expect(countdown(later(-5), NOW)).to.equal('00:00:00')
  })

  it('reads days, times and timestamps as people type them, and nothing that is none', () => {
    const days = ['2026-1-5', '2026/01/05', ' 2026.1.05 ', '2026-02-30', '5.1.2026', '']
    expect(days.map(local.readDay).join(' ').trim()).to.equal('2026-01-05 2026-01-05 2026-01-05')
    const clocks = ['9', '9:30', '0930', '9.30 PM', '12 am', '24:00', '9:75', '']
    const read = ['09:00', '09:30', '09:30', '21:30', '00:00', undefined, undefined, undefined]
    expect(clocks.map(local.readClock)).to.deep.equal(read)
    for (const pasted of [NOW.toISOString(), times.exactUtc(NOW)])
      expect(local.readTimestamp(pasted)).to.equal(local.toLocalInput(NOW))
    expect(local.fromLocalInput(local.toLocalInput(NOW))).to.equal(NOW.toISOString())
    for (const text of ['2026-01-15', 'T09:30', '2026-02-30T09:30', ''])
      expect(local.fromLocalInput(text), text).to.equal(undefined)
    const half = { since: '2026-01-15T09:30', until: '2026-01-16T' }
    expect(local.windowFaults(half).until).to.match(/^Write/)
  })

  it('says how long ago, or until when, and the exact time in UTC', () => {
    expect(times.relativeTime(later(-3), NOW)).to.equal('just now')
    expect(times.relativeTime(later(-300), NOW)).to.equal('5 min ago')
    expect(times.relativeTime(later(7_200), NOW)).to.equal('in 2 h')
    const ago = (seconds: number) => times.relativeTime(later(-seconds), NOW)
    const rounded = [50, 100, 3_580, 6_600, 84_000, 86_300].map(ago).join()
    expect(rounded).to.equal('50 s ago,2 min ago,1 h ago,2 h ago,23 h ago,1 day ago')
    expect(times.exactUtc(NOW)).to.equal('2026-01-15 12:00:00.000 UTC')
    expect(times.localTime(NOW).endsWith(times.momentOf(NOW, later(1)))).to.equal(true)
    for (const at of [NOW, later(43_200)])
      expect(times.localTime(at), 'a clock of 24 hours, with its zone').to.match(/ \d\d:\d\d (?![AP]M)\S+$/)
    const days = [0, 86_400, 3 * 86_400].map((seconds) => times.dayOf(later(-seconds), NOW))
    expect(days.slice(0, 2)).to.deep.equal(['Today', 'Yesterday'])
    expect(days[2]).to.match(/Jan/).and.not.match(/2026/)
    const moment = times.momentOf(later(-200_000), NOW)
    expect(moment).to.match(/Jan/).and.not.match(/2026/)
    expect(times.momentOf(later(-31_536_000), NOW)).to.equal(times.localTime(later(-31_536_000)))
  })

  it('never says that something which has happened is still to come', () => {
    expect(times.timeAgo(later(120), NOW)).to.equal('just now')
    expect(times.timeAgo(later(-120), NOW)).to.equal('2 min ago')
    expect(times.timeAhead(later(-3), NOW)).to.equal('now')
    expect(times.timeAhead(later(120), NOW)).to.equal('in 2 min')
  })

  it('takes the time anew on a page that follows one without times', async () => {
    const clock = new Clock(20)
    clock.watch(() => undefined)()
    const left = clock.get()
    await until(clock.get, (now) => now > left)
  })

  it('colours code without changing a letter, in a time that grows with the text, whoever wrote it', () => {
    const kindsOf = (text: string) =>
      codePieces(text).flatMap((piece) => (piece.kind ? [`${piece.kind} ${piece.text}`] : []))
    const json = ['name "a"', 'text "b\\"c"', 'name "n"', 'value 1.5']
    expect(kindsOf('{"a": "b\\"c", "n": 1.5}')).to.deep.equal(json)
    const shell = ['name date', "text 'https://x'", "note # it's"]
    expect(kindsOf("date: 26 Nov 2026\ncurl 'https://x' # it's")).to.deep.equal(shell)
    for (const hostile of ['"\\', "'a", '1.', '#', '"\n', 'a-', 'a: 1\n', '"a" :1 ']) {
      const text = hostile.repeat(100_000)
      const begun = performance.now()
      const pieces = codePieces(text)
      expect(performance.now() - begun, hostile).to.be.below(1_000)
      expect(pieces.length).to.be.below(1_010)
      expect(pieces.map((piece) => piece.text).join('') === text, hostile).to.equal(true)
    }
  })

  it('rounds so that two parts add up and no failure goes away, and cuts long text between characters', () => {
    expect(percent(9_999, 10_000)).to.equal('99.9 %')
    expect(percent(0, 0)).to.equal('–')
    expect([percent(1, 10_000), percent(0, 9), percent(9, 9)]).to.deep.equal(['0.1 %', '0 %', '100 %'])
    for (const part of [1, 9, 250, 333, 691, 998])
      for (const whole of [999, 1_001, 2_000, 90_000]) {
        const tenths = [part, whole - part].map((each) => Number.parseFloat(percent(each, whole)) * 10)
        expect(Math.round(tenths[0]! + tenths[1]!), `${part} of ${whole}`).to.equal(1_000)
      }
    expect(plural(1, 'delivery', 'deliveries')).to.equal('1 delivery')
    expect(plural(1_200, 'key')).to.equal('1,200 keys')
    expect(cutText('short', 10)).to.deep.equal({ shown: 'short', isCut: false })
    expect(cutText(`${'a'.repeat(9)}😀b`, 10)).to.deep.equal({ shown: 'a'.repeat(9), isCut: true })
  })
})
