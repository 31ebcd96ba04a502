import { expect } from 'chai'
import { traceIdOf, validTraceparent } from '../../../../src/deps/traces.ts'

const TRACE = '0bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const PLACE = `${TRACE}-${SPAN}`

describe('a traceparent', () => {
  // https://www.w3.org/TR/trace-context/#traceparent-header
  for (const [given, taken] of [
    [`00-${PLACE}-01`, `00-${PLACE}-01`],
    [`00-${PLACE}-ff`, `00-${PLACE}-ff`],
    [`cc-${PLACE}-00-what-is-next`, `00-${PLACE}-00`],
    [`cc-${PLACE}-00-${'x'.repeat(456)}`, `00-${PLACE}-00`],
    [`ff-${PLACE}-01`, undefined],
    [`x00-${PLACE}-01`, undefined],
    [`cc-${PLACE}-00-${'x'.repeat(457)}`, undefined],
    [`00-${PLACE}-01-more`, undefined],
    [`00-${PLACE}-01 `, undefined],
    [`00-${PLACE.toUpperCase()}-01`, undefined],
    [`00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
    [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
    [`00-${TRACE.slice(1)}-${SPAN}-01`, undefined],
    ['', undefined],
  ] as const)
    it(`is ${taken === undefined ? 'ignored' : 'taken'}: ${given.slice(0, 70)}`, () => {
      expect(validTraceparent(given)).to.equal(taken)
      expect(traceIdOf(given)).to.equal(taken && TRACE)
    })
})
