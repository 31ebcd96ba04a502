import { once } from 'node:events'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import { expect, use } from 'chai'
import chaiAsPromised from 'chai-as-promised'
import { startDeadline, within } from '../../../src/sending/deadline.ts'
import { errors } from 'undici'
import { failureReason, WorkerFault, workerFaultIn } from '../../../src/sending/failures.ts'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { words } from '../../support/words.ts'

use(chaiAsPromised)

const never = new Promise<never>(() => undefined)

describe('a deadline', () => {
  it('ends what waits for it when its time is over, or that of the outer one, also when that is over already', async () => {
    const outer = startDeadline(5)
    const inner = startDeadline(60_000, outer.signal)
    await expect(within(outer.signal, never)).to.be.rejectedWith('time of the attempt is over')
    expect(outer.signal.aborted).to.equal(true)
    await expect(within(inner.signal, never)).to.be.rejectedWith('time of the attempt is over')
    const late = startDeadline(60_000, outer.signal)
    expect(late.signal.aborted).to.equal(true)
    inner.clear()
    late.clear()
  })

  it('never ends once it is cleared, whatever becomes of the outer one', () => {
    const outer = startDeadline(60_000)
    const inner = startDeadline(60_000, outer.signal)
    inner.clear()
    outer.clear()
    expect(inner.signal.aborted).to.equal(false)
  })

  // decision: Times
  it('lets be read first what arrived in time while the process was too busy to look', async () => {
    // Another thread answers while this one is blocked, and reports when it has answered.
    const flag = new Int32Array(new SharedArrayBuffer(4))
    const endpoint = new Worker(
      `const { parentPort, workerData: flag } = require('node:worker_threads')
       const tell = () => Atomics.store(flag, 0, 1) + Atomics.notify(flag, 0)
       const server = require('node:net').createServer((socket) => socket.write('answer', tell))
       server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`,
      { eval: true, workerData: flag },
    )
    const [port] = (await once(endpoint, 'message')) as [number]
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const events: string[] = []
    socket.on('data', (chunk) => events.push(chunk.toString()))
    Atomics.wait(flag, 0, 0)
    const deadline = startDeadline(10)
    deadline.signal.addEventListener('abort', () => events.push('over'))
    Atomics.wait(flag, 0, 1, 50)
    await once(deadline.signal, 'abort')
    socket.destroy()
    await endpoint.terminate()
    expect(events).to.deep.equal(['answer', 'over'])
  })

  it('passes results and errors through while there is time', async () => {
    const deadline = startDeadline(60_000)
    expect(await within(deadline.signal, Promise.resolve(7))).to.equal(7)
    await expect(within(deadline.signal, Promise.reject(new Error('own')))).to.be.rejectedWith('own')
    deadline.clear()
  })
})

const coded = (code: string, message = 'x') => Object.assign(new Error(message), { code })

describe('failureReason', () => {
  const REASONS: readonly (readonly [Error, string | undefined])[] = [
    ...words('ECONNRESET EPIPE EHOSTUNREACH ERR_STREAM_PREMATURE_CLOSE').map(
      (code) => [coded(code), 'connection_reset'] as const,
    ),
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
    [new TypeError('x is not a function'), undefined],
    ...words('ERR_ASSERTION ERR_INVALID_ARG_TYPE EMFILE ENFILE ENOBUFS ENOMEM EACCES EPERM').map(
      (code) => [coded(code), undefined] as const,
    ),
  ]
  for (const [error, reason] of REASONS) {
    const code = 'code' in error ? String(error.code) : error.name
    it(`says ${reason ?? 'that it is our own fault'} for ${code} (${error.message})`, () =>
      expect(failureReason(error, false)).to.equal(reason))
  }
})

const PROGRAM = fileURLToPath(new URL('../../support/full-file-table.ts', import.meta.url))
const run = promisify(execFile)

describe('a sender whose process may open no more files', () => {
  // decision: A fault of the worker's own machine
  it('takes every attempt for its own fault, and none for a failure of the endpoint', async () => {
    const urls = ['https://127.0.0.1:8443/', 'https://localhost:8443/', 'https://hook.example/']
    const command = [process.execPath, PROGRAM, ...urls]
    const { stdout } = await run('sh', ['-c', 'ulimit -n 100; exec "$0" "$@"', ...command])
    const thrown = (JSON.parse(stdout) as { thrown: string }[]).map((result) => result.thrown)
    // A query to the name servers needs a socket too.
    expect(thrown).to.deep.equal(['resources', 'resources', 'resolver'])
  })
})

const failed = (code: string, address = '203.0.113.7') => Object.assign(new Error(code), { code, address })

describe('workerFaultIn', () => {
  it('finds that the machine has nothing left for a connection, or that a rule of it forbids one, and leaves to the endpoint what its side says', () => {
    for (const code of ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'])
      expect(workerFaultIn(failed(code)), code).to.equal('resources')
    for (const code of ['EACCES', 'EPERM']) expect(workerFaultIn(failed(code)), code).to.equal('permission')
    for (const code of ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'])
      expect(workerFaultIn(failed(code)), code).to.equal(undefined)
    for (const code of ['EADDRNOTAVAIL', 'EACCES'])
      expect(workerFaultIn(failed(code, '2606:4700::1111')), code).to.equal(undefined)
  })

  it('is named where it was found before, with its cause', () => {
    const cause = failed('EMFILE')
    const fault = new WorkerFault('resolver', { cause })
    expect(fault).to.include({ name: 'WorkerFault', message: 'The worker cannot connect: resolver.', cause })
    expect(workerFaultIn(fault)).to.equal('resolver')
    for (const other of [undefined, null, 'text']) expect(workerFaultIn(other)).to.equal(undefined)
  })

  // decision: A fault of the worker's own machine
  it('takes the fault of one address for ours: it might have answered', () => {
    const tried = (...codes: string[]) => new AggregateError(codes.map((code) => failed(code)))
    expect(workerFaultIn(tried('ECONNREFUSED', 'EMFILE'))).to.equal('resources')
    expect(workerFaultIn(tried('EPERM', 'ENETUNREACH'))).to.equal('permission')
    expect(workerFaultIn(tried('ECONNREFUSED', 'ENETUNREACH'))).to.equal(undefined)
  })
})
