import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from 'chai'
import { freePorts } from '../../scripts/lib/ports.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { until } from '../support/poll.ts'

describe('free ports', () => {
  it('are the preferred ones where they are free, the next ones where they are taken, and all different', async () => {
    const server = createServer().unref()
    const { port: taken } = await listenOnLoopback(server)
    // Another process may take the free port before the test listens on it. Then try another port.
    const { ports } = await until(
      async () => {
        const [free = 0] = await freePorts([0])
        return { free, ports: await freePorts([free, taken, 0]) }
      },
      ({ free, ports: [first] }) => first === free,
    )
    server.close()
    expect(ports[1]).not.to.equal(taken)
    expect(new Set(ports).size).to.equal(3)
  })

  it('without a preference are none that a socket without a port of its own could take first, nor just chosen ones, nor taken for UDP', async () => {
    const ports = [...(await freePorts([0, 0])), ...(await freePorts([0]))]
    expect(new Set(ports).size).to.equal(3)
    for (const port of ports) expect(port).to.be.within(1024, 32_767)
    const socket = createSocket('udp4').bind(0, '127.0.0.1')
    await once(socket, 'listening')
    const { port: taken } = socket.address()
    expect(await freePorts([taken])).not.to.include(taken)
    socket.close()
  })
})
