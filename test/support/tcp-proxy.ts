import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** The direction of bytes: towards the server behind the proxy, or back to its client. */
type Direction = 'toServer' | 'toClient'

export type TcpProxy = Awaited<ReturnType<typeof createTcpProxyTo>>

type Flow = {
  readonly from: Socket
  readonly to: Socket
  readonly direction: Direction
  held: Buffer[] | undefined
  /** Delayed chunks, each with the time at which it is forwarded. */
  readonly late: { readonly atMs: number; readonly chunk: Buffer }[]
}
type Hold = { readonly direction: Direction; readonly text: Buffer; readonly reached: () => void }

const BOTH: readonly Direction[] = ['toServer', 'toClient']

/**
 * Makes a proxy between a process and its database or Temporal that a test can stall, cut and refuse. It listens on a
 * free loopback port and forwards to the host and port of a URL or of a `host:port`.
 */
export async function createTcpProxyTo(target: string) {
  const { hostname: host, port: targetPort } = new URL(target.includes('://') ? target : `tcp://${target}`)
  const flows = new Set<Flow>()
  const stalled = new Set<Direction>()
  let holds: Hold[] = []
  let bytes = 0
  let delayMs = 0

  /** Forwards the delayed chunks whose time has come, or all of them. */
  function writeLate({ late, to }: Flow, untilMs = performance.now()): void {
    while (late[0] && late[0].atMs <= untilMs) to.write(late.shift()!.chunk)
  }

  function carry(flow: Flow): void {
    flows.add(flow)
    flow.from.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      const hold = holds.find(({ direction, text }) => direction === flow.direction && chunk.includes(text))
      if (hold) {
        holds = holds.filter((other) => other !== hold)
        flow.held ??= []
        hold.reached()
      }
      if (stalled.has(flow.direction)) flow.held ??= []
      if (flow.held) flow.held.push(chunk)
      else if (delayMs === 0 && flow.late.length === 0) flow.to.write(chunk)
      else {
        flow.late.push({ atMs: performance.now() + delayMs, chunk })
        setTimeout(() => writeLate(flow), delayMs + 1)
      }
    })
    flow.from.on('close', () => {
      flows.delete(flow)
      flow.to.destroy()
    })
    flow.from.on('error', () => undefined)
  }

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host, port: Number(targetPort), noDelay: true })
    carry({ from: client, to: upstream, direction: 'toServer', held: undefined, late: [] })
    carry({ from: upstream, to: client, direction: 'toClient', held: undefined, late: [] })
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const cut = () => flows.forEach(({ from }) => from.destroy())
  await listen(0)
  const { port } = server.address() as AddressInfo

  return {
    port,
    /** `127.0.0.1:port`, for TEMPORAL_ADDRESS. */
    address: `127.0.0.1:${port}`,
    /** The URL with the proxy's host and port, for DATABASE_URL. */
    through(url: string): string {
      const through = new URL(url)
      through.host = `127.0.0.1:${port}`
      return through.href
    },
    /** Forwards the held bytes and then all later bytes, in one direction or both. */
    async pass(only?: Direction): Promise<void> {
      const ways = BOTH.filter((way) => only === undefined || way === only)
      for (const way of ways) stalled.delete(way)
      holds = holds.filter(({ direction }) => !ways.includes(direction))
      if (only === undefined) delayMs = 0
      for (const flow of flows) {
        if (!ways.includes(flow.direction)) continue
        if (delayMs === 0) writeLate(flow, Number.POSITIVE_INFINITY)
        const held = flow.held ?? []
        flow.held = undefined
        for (const chunk of held) flow.to.write(chunk)
      }
      if (!server.listening) await listen(port)
    },
    /** Delays every chunk by this many ms in both directions, until `pass`. The order stays. */
    delay: (byMs: number): void => void (delayMs = byMs),
    /** Holds back the bytes of open and new connections, which stay open; by default in both directions. */
    stall(direction?: Direction): void {
      for (const way of direction ? [direction] : BOTH) stalled.add(way)
    },
    /**
     * Waits for the first chunk with that text in that direction. Holds back this chunk and all later bytes of its
     * connection in that direction. Other connections go on.
     */
    holdAt: (direction: Direction, text: string): Promise<void> =>
      new Promise((reached) => holds.push({ direction, text: Buffer.from(text), reached })),
    /** Ends every open connection. New connections are still accepted. */
    cut,
    /** Ends every open connection and refuses new ones, until `pass`. */
    async refuse(): Promise<void> {
      if (server.listening) server.close()
      cut()
      await new Promise(setImmediate)
    },
    /** Bytes so far, in both directions together. */
    bytes: () => bytes,
    stop(): Promise<void> {
      const closed = new Promise<void>((resolve) => {
        if (server.listening) server.close(() => resolve())
        else resolve()
      })
      cut()
      return closed
    },
  }
}

/** Makes proxies with `createTcpProxyTo`. Each one closes after the test of the surrounding `describe` that made it. */
export function useTcpProxies(): typeof createTcpProxyTo {
  const proxies: TcpProxy[] = []
  afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.stop())))
  return async (address) => {
    const proxy = await createTcpProxyTo(address)
    proxies.push(proxy)
    return proxy
  }
}

/** Makes the server behind a proxy fail until `pass`. */
export const FAULTS = {
  'refuses connections': (proxy: TcpProxy) => proxy.refuse(),
  hangs: (proxy: TcpProxy) => proxy.stall(),
  'takes queries and never answers': (proxy: TcpProxy) => proxy.stall('toClient'),
} as const
