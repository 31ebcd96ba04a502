import { expect } from 'chai'
import { BenchArrivals } from '../../bench/throughput/arrivals.ts'
import { MessageReader } from '../../bench/throughput/connection.ts'
import { findFaults, overRounds } from '../../bench/throughput/figure.ts'
import { planFor, readPlan, type Topic } from '../../bench/throughput/plan.ts'
import { PublishRequest, sentAt } from '../../bench/throughput/requests.ts'

describe('the figures of npm run bench', () => {
  it('count what was accepted and never arrived at one of its endpoints as lost, and what came after a 2xx as a duplicate', () => {
    const arrivals = new BenchArrivals()
    const arrive = (id: string, isGood = true) => arrivals.add({ path: '/a', id, sentAt: 0, isGood })
    arrive('evt_1', false)
    arrive('evt_1')
    arrive('evt_2')
    arrive('evt_2')
    arrive('evt_9')
    expect(arrivals.figures()).to.include({ delivered: 3, attempts: 5, duplicates: 1 })
    expect(arrivals.compare({ ids: ['evt_1', 'evt_2', 'evt_3'], each: 1 })).to.deep.equal({
      lost: 1,
      unknown: 1,
    })
    const some = new BenchArrivals()
    for (const path of ['/a', '/b']) some.add({ path, id: 'evt_1', sentAt: 0, isGood: true })
    expect(some.compare({ ids: ['evt_1'], each: 3 }).lost).to.equal(1)
  })

  it('are taken of each topic in a quick run, however long another one takes: each has a share of the time', () => {
    const quick = readPlan(['--quick'])
    expect(quick.topics).to.deep.equal(['accept', 'deliver', 'floors'])
    const shareMs = quick.measuredMs / 3
    /** Whether the time of a topic is over that began so many shares ago, and so many after the first one. */
    const isOver = (topic: Topic, shares: { ago: number; late: number }) => {
      const beganMs = performance.now() - shares.ago * shareMs
      return planFor(quick, topic, beganMs - shares.late * shareMs, beganMs).isOver()
    }
    expect(isOver('accept', { ago: 0.9, late: 0 })).to.equal(false)
    expect(isOver('accept', { ago: 1.1, late: 0 })).to.equal(true)
    expect(isOver('deliver', { ago: 1.4, late: 0.5 }), 'it gets what the first one left').to.equal(false)
    expect(isOver('deliver', { ago: 0.9, late: 5 }), 'a slow one takes nothing of it').to.equal(false)
    expect(isOver('deliver', { ago: 1.1, late: 5 })).to.equal(true)
    const full = readPlan([])
    const late = performance.now() - 0.9 * full.measuredMs
    expect(planFor(full, 'accept', late).isOver(), 'a whole run goes on').to.equal(false)
  })

  it('are medians over the rounds, but sums of losses, and cannot be had when one round says so', () => {
    const good = { topic: 'deliver', what: 'x', perSecond: 10 }
    const without = overRounds([good, { topic: 'deliver', what: 'x', cannot: '3 of 9 in time' }])
    expect(without.cannot).to.equal('3 of 9 in time')
    const round = (perSecond: number, lost: number) => ({ topic: 'accept', what: 'x', perSecond, lost })
    const merged = overRounds([round(10, 0), round(30, 1), round(20, 0)])
    expect(merged).to.deep.equal({ topic: 'accept', what: 'x', perSecond: 20, lost: 1 })
    expect(findFaults([merged])).to.deep.equal(['accept, x: 1 lost, 0 twice'])
  })

  it('know when an event was sent from its bytes alone', () => {
    const options = { host: 'localhost', key: 'k', types: ['contact.created'], eventBytes: 1024 }
    const request = new PublishRequest(options)
    request.stamp(123_456.789_012)
    expect(sentAt(request.bytes)).to.equal(123_456.789_012)
    const [head = '', body = ''] = request.bytes.toString().split('\r\n\r\n')
    expect(head).to.include(`content-length: ${Buffer.byteLength(body)}`)
    expect(Buffer.byteLength(body)).to.equal(1024)
    expect(JSON.parse(body)).to.have.property('event', 'contact.created')
  })

  it('come from messages however their bytes are cut', () => {
    const bytes = Buffer.from('HTTP/1.1 201 Created\r\nContent-Length: 3\r\n\r\nabc'.repeat(2))
    for (let size = 1; size <= bytes.length; size++) {
      const bodies: string[] = []
      const reader = new MessageReader((_head, body) => bodies.push(body.toString()))
      for (let at = 0; at < bytes.length; at += size) reader.read(bytes.subarray(at, at + size))
      expect(bodies, `in pieces of ${size}`).to.deep.equal(['abc', 'abc'])
    }
  })
})
