import { once } from 'node:events'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'
import { expect, use } from 'chai'
import chaiAsPromised from 'chai-as-promised'
import { startDeadline, within } from '../../../src/sending/deadline.ts'

use(chaiAsPromised)

const never = new Promise<never>(() => undefined)

describe('a deadline', () => {
  it('ends what waits for it when its time is over', async () => {
    const { signal } = startDeadline(5)
    await expect(within(signal, never)).to.be.rejectedWith('time of the attempt is over')
    expect(signal.aborted).to.equal(true)
  })

  it('ends together with the outer one, also when that is over already', async () => {
    const outer = startDeadline(5)
    const inner = startDeadline(60_000, outer.signal)
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
    // Another thread answers while this one stands still.
    const endpoint = new Worker(
      `const { parentPort } = require('node:worker_threads')
       const server = require('node:net').createServer((socket) => setTimeout(() => socket.write('answer'), 20))
       server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`,
      { eval: true },
    )
    const [port] = (await once(endpoint, 'message')) as [number]
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const deadline = startDeadline(60)
    const events: string[] = []
    socket.on('data', (chunk) => events.push(chunk.toString()))
    deadline.signal.addEventListener('abort', () => events.push('over'))
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
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

  it('does not wait for work that comes after the end', async () => {
    const { signal } = startDeadline(1)
    await expect(within(signal, never)).to.be.rejected
    await expect(within(signal, never)).to.be.rejectedWith('time of the attempt is over')
  })
})
