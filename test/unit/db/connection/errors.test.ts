import { expect } from 'chai'
import * as database from '../../../../src/db/connection/errors.ts'
import * as temporal from '../../../../src/process/temporal/errors.ts'

const { databaseAdvice, ...VERDICTS } = database

/** The result of every function that classifies a database error. */
const saidOf = (error: unknown) =>
  Object.entries(VERDICTS)
    .filter(([, isSo]) => isSo(error))
    .map(([name]) => name)
    .sort()

describe('an error of the database', () => {
  const lost = ['isLost', 'isUnavailable']
  for (const [what, errors, expected] of [
    ['a violated unique key', [1062], ['isDuplicate']],
    ['a missing database', [1049], ['isUnknownDatabase']],
    ['a missing table', [1146], ['isUnknownTable']],
    ['a transaction to try again', [1020, 1213], ['isRetryable', 'isUnavailable']],
    ['a lock that others hold', [1205], ['isLockTimeout', 'isRetryable', 'isUnavailable']],
    ['a statement that ran too long', [1969, 3024], ['isStatementTimeout', 'isStopped', 'isUnavailable']],
    ['a statement that was stopped', [1317], ['isStopped', 'isUnavailable']],
    ['a server without writes', [1036, 1290, 1792, 1836, 1874], ['isLost', 'isReadOnly', 'isUnavailable']],
    ['a server that cannot serve', [1021, 1030, 1040, 1053, 1114, 1203, 1226, 1927, 3032, 3169, 4031], lost],
    ['a connection refused', ['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT'], lost],
    ['a connection that timed out', ['PROTOCOL_SEQUENCE_TIMEOUT', 'PROTOCOL_CONNECTION_LOST'], lost],
    ['a server that is not found', ['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'], lost],
    ['TLS that failed', ['HANDSHAKE_NO_SSL_SUPPORT', 'HANDSHAKE_SSL_ERROR'], lost],
    ['a machine without resources', ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'], lost],
    ['a wrong query', [1064, 'ER_PARSE_ERROR', 'EACCES'], []],
  ] as const)
    it(`tells ${what} from others`, () => {
      for (const error of errors) {
        const thrown = typeof error === 'number' ? { errno: error, message: '' } : { code: error }
        expect(saidOf(thrown), String(error)).to.deep.equal(expected)
      }
    })

  it('is known also by its name and its message, may be anything, and comes with advice when TLS failed', () => {
    expect(saidOf({ name: 'KnexTimeoutError' })).to.deep.equal(lost)
    expect(saidOf(new Error("Can't add new command when connection is in closed state"))).to.deep.equal(lost)
    for (const other of [undefined, null, 'text', new Error('x')]) expect(saidOf(other)).to.deep.equal([])
    expect(databaseAdvice({ code: 'HANDSHAKE_NO_SSL_SUPPORT' })).to.include('set DATABASE_TLS=off')
    const selfSigned = databaseAdvice({ code: 'HANDSHAKE_SSL_ERROR', message: 'self-signed' })
    expect(selfSigned).to.match(/\(self-signed\).*DATABASE_CA_FILE/)
    expect(databaseAdvice({ code: 'HANDSHAKE_SSL_ERROR' })).to.include('(unknown reason)')
    expect(databaseAdvice({ code: 'ECONNREFUSED' })).to.equal(undefined)
    expect(databaseAdvice({ errno: 1045 })).to.include('refuses the user or the password')
    for (const errno of [1044, 1142]) expect(databaseAdvice({ errno })).to.include('"migrate"')
  })
})

describe('an error of Temporal', () => {
  const coded = (code: number) => Object.assign(new Error('x'), { code })
  const codes = Array.from({ length: 17 }, (_, code) => code)

  it('is a refusal, or means that the server is away or overloaded, or is an answer, also where it is the cause of another', () => {
    const wrapped = new Error('y', { cause: new Error('z', { cause: coded(temporal.NOT_FOUND) }) })
    expect(temporal.hasCode(wrapped, temporal.INVALID_ARGUMENT, temporal.NOT_FOUND)).to.equal(true)
    expect(temporal.hasCode(wrapped, temporal.ALREADY_EXISTS)).to.equal(false)
    for (const other of [undefined, { code: 5 }, new Error('x')])
      expect(temporal.hasCode(other, temporal.NOT_FOUND)).to.equal(false)
    expect([temporal.INVALID_ARGUMENT, temporal.NOT_FOUND, temporal.ALREADY_EXISTS]).to.deep.equal([3, 5, 6])
    expect(codes.filter((code) => temporal.isRefused(coded(code)))).to.deep.equal([7, 12, 16])
    expect(codes.filter((code) => temporal.isSlow(coded(code)))).to.deep.equal([1, 4, 8, 14])
    expect(temporal.isSlow(new Error('another one'))).to.equal(false)
  })

  it('means that the server is not ready when the namespace lacks a search attribute', () => {
    const said = 'Namespace n has no mapping defined for search attribute CompanyId'
    const refusal = (message: string, code: number) =>
      new Error('Failed to start Workflow', { cause: Object.assign(new Error(message), { code }) })
    const { INVALID_ARGUMENT, NOT_FOUND } = temporal
    const lacking = refusal(said, INVALID_ARGUMENT)
    const refusals = [lacking, refusal(said, NOT_FOUND), refusal('x', INVALID_ARGUMENT)]
    for (const isSo of [temporal.lacksSearchAttribute, temporal.isSlow])
      expect(refusals.filter(isSo)).to.deep.equal([lacking])
  })
})
