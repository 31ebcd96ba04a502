import { expect } from 'chai'
import { refuseMetrics } from '../../../../src/domain/net/metrics-access.ts'

const LOCAL = { address: '127.0.0.1', isForwarded: false, isConfidential: false, authorization: '' }
const REMOTE = { ...LOCAL, address: '192.0.2.9' }
const TOKEN = 'a-token'
const WITH_TOKEN = { isConfidential: true, authorization: `Bearer ${TOKEN}` }
const WRONG = {
  code: 'UNAUTHORIZED',
  message: 'The metrics token is missing or wrong.',
  headers: { 'WWW-Authenticate': 'Bearer' },
}
const IN_CLEAR = { code: 'INVALID_REQUEST', message: 'Use HTTPS.' }
const notShownTo = (address: string) => ({
  code: 'IP_NOT_ALLOWED',
  message: `Metrics are shown to this machine only, not to requests from ${address}, unless METRICS_TOKEN is set.`,
})

const THERE = { ...REMOTE, ...WITH_TOKEN }
const NEARLY = { ...THERE, authorization: 'Bearer b-token' }

describe('the metrics', () => {
  for (const [what, request, token, refusal] of [
    ['this machine without a token', LOCAL, undefined, undefined],
    ['a proxy here without a token', { ...LOCAL, isForwarded: true }, undefined, notShownTo('127.0.0.1')],
    ['another machine without a token', THERE, undefined, notShownTo('192.0.2.9')],
    ['another machine with the token', THERE, TOKEN, undefined],
    ['another machine with the token in clear', { ...THERE, isConfidential: false }, TOKEN, IN_CLEAR],
    [
      'this machine with the token in clear',
      { ...LOCAL, ...WITH_TOKEN, isConfidential: false },
      TOKEN,
      undefined,
    ],
    ['this machine where a token is set and it sends none', LOCAL, TOKEN, WRONG],
    ['a token of the same length', NEARLY, TOKEN, WRONG],
    ['a longer token', { ...THERE, authorization: `Bearer ${TOKEN}2` }, TOKEN, WRONG],
  ] as const) {
    it(`are ${refusal ? 'refused' : 'shown'} to ${what}`, () => {
      const error = refuseMetrics(request, token)
      if (refusal) expect(error).to.deep.include(refusal)
      else expect(error).to.equal(undefined)
    })
  }
})
