import { expect } from 'chai'
import { WorkerFault, workerFaultIn } from '../../../src/sending/worker-fault.ts'

const coded = (code: string, address = '203.0.113.7') => Object.assign(new Error(code), { code, address })

describe('workerFaultIn', () => {
  it('finds that the machine has nothing left for a connection, or that a rule of it forbids one, and leaves to the endpoint what its side says', () => {
    for (const code of ['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL'])
      expect(workerFaultIn(coded(code)), code).to.equal('resources')
    for (const code of ['EACCES', 'EPERM']) expect(workerFaultIn(coded(code)), code).to.equal('permission')
    for (const code of ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'])
      expect(workerFaultIn(coded(code)), code).to.equal(undefined)
    expect(workerFaultIn(coded('EADDRNOTAVAIL', '2606:4700::1111'))).to.equal(undefined)
  })

  it('is named where it was found before, with its cause', () => {
    const cause = coded('EMFILE')
    const fault = new WorkerFault('resolver', { cause })
    expect(fault).to.include({ name: 'WorkerFault', message: 'The worker cannot connect: resolver.', cause })
    expect(workerFaultIn(fault)).to.equal('resolver')
    for (const other of [undefined, null, 'text']) expect(workerFaultIn(other)).to.equal(undefined)
  })

  // decision: A fault of the worker's own machine
  it('takes the fault of one address for ours: it might have answered', () => {
    const tried = (...codes: string[]) => new AggregateError(codes.map((code) => coded(code)))
    expect(workerFaultIn(tried('ECONNREFUSED', 'EMFILE'))).to.equal('resources')
    expect(workerFaultIn(tried('EPERM', 'ENETUNREACH'))).to.equal('permission')
    expect(workerFaultIn(tried('ECONNREFUSED', 'ENETUNREACH'))).to.equal(undefined)
  })
})
