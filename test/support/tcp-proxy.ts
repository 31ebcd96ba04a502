import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** Which way bytes go: towards the server behind the proxy, or back to its client. */
type Direction = 'toServer' | 'toClient'

export type TcpProxy = Awaited<ReturnType<typeof createTcpProxyTo>>

type Flow = {
  readonly from: Socket
  readonly to: Socket
  readonly direction: Direction
  held: Buffer[] | undefined
  /** Chunks that are delayed, with the time at which each goes on. */
  readonly late: { readonly atMs: number; readonly chunk: Buffer }[]
}
type Hold = { readonly direction: Direction; readonly text: Buffer; readonly reached: () => void }

const BOTH: readonly Direction[] = ['toServer', 'toClient']

/**
 * A wire between a process and its database or Temporal that a test can stall, cut and refuse: a proxy on a free loopback port
 * to the host and port of a URL or of a `host:port`.
 */
export async function createTcpProxyTo(target: string) {
  const { hostname: host, port: targetPort } = new URL(target.includes('://') ? target : `tcp://${target}`)
  const flows = new Set<Flow>()
  const stalled = new Set<Direction>()
  let holds: Hold[] = []
  let bytes = 0
  let delayMs = 0

  /** Writes the delayed chunks whose time has come, or all of them. */
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
    /** The URL with the proxy in place of its host and port, for DATABASE_URL. */
    through(url: string): string {
      const through = new URL(url)
      through.host = `127.0.0.1:${port}`
      return through.href
    },
    /** Lets everything flow again, that way or both, what was held back first. */
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
    /** Hands every chunk on so much later, both ways, until `pass`; the order stays. */
    delay: (byMs: number): void => void (delayMs = byMs),
    /** Holds bytes back, of open and of new connections; the connections stay. Both ways by default. */
    stall(direction?: Direction): void {
      for (const way of direction ? [direction] : BOTH) stalled.add(way)
    },
    /**
     * Waits for the first chunk with that text and holds it and everything after it back, that way on that connection;
     * the other connections go on.
     */
    holdAt: (direction: Direction, text: string): Promise<void> =>
      new Promise((reached) => holds.push({ direction, text: Buffer.from(text), reached })),
    /** Ends every open connection; new ones are still taken. */
    cut,
    /** Ends every open connection and refuses new ones, until `pass`. */
    async refuse(): Promise<void> {
      if (server.listening) server.close()
      cut()
      await new Promise(setImmediate)
    },
    /** Bytes so far, both ways. */
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

/** Gives what `createTcpProxyTo` gives; each proxy is closed after the test of the surrounding `describe` that made it. */
export function useTcpProxies(): typeof createTcpProxyTo {
  const proxies: TcpProxy[] = []
  afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.stop())))
  return async (address) => {
    const proxy = await createTcpProxyTo(address)
    proxies.push(proxy)
    return proxy
  }
}

/** Faults of what is behind a proxy, until `pass`. */
export const FAULTS = {
  'refuses connections': (proxy: TcpProxy) => proxy.refuse(),
  hangs: (proxy: TcpProxy) => proxy.stall(),
  'takes queries and never answers': (proxy: TcpProxy) => proxy.stall('toClient'),
} as const
