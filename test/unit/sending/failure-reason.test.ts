import { expect } from 'chai'
import { errors } from 'undici'
import { failureReason } from '../../../src/sending/failure-reason.ts'

const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code })

describe('failureReason', () => {
  const REASONS: readonly (readonly [Error, string | undefined])[] = [
    [coded('ECONNRESET'), 'connection_reset'],
    [coded('EPIPE'), 'connection_reset'],
    [coded('EHOSTUNREACH'), 'connection_reset'],
    [coded('ERR_STREAM_PREMATURE_CLOSE'), 'connection_reset'],
    [new errors.SocketError('other side closed'), 'connection_reset'],
    [new Error('The connection is closed.'), 'connection_reset'],
    [new errors.SocketError('bad response'), 'protocol_error'],
    [new errors.SocketError('bad upgrade'), 'protocol_error'],
    [new errors.HeadersOverflowError(), 'protocol_error'],
    [new errors.HTTPParserError('x'), 'protocol_error'],
    [coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), 'tls_error'],
    [coded('EPROTO'), 'tls_error'],
    [new errors.InvalidArgumentError('invalid header'), undefined],
    [new errors.RequestContentLengthMismatchError(), undefined],
    [new errors.NotSupportedError('x'), undefined],
    [coded('ERR_ASSERTION'), undefined],
    [coded('ERR_INVALID_ARG_TYPE'), undefined],
    [new TypeError('x is not a function'), undefined],
    ...['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EACCES', 'EPERM'].map(
      (code) => [coded(code), undefined] as const,
    ),
  ]
  for (const [error, reason] of REASONS) {
    const code = 'code' in error ? String(error.code) : error.name
    it(`says ${reason ?? 'that it is our own fault'} for ${code} (${error.message})`, () => {
      expect(failureReason(error)).to.equal(reason)
    })
  }
})
