import { createSocket, type Socket } from 'node:dgram'

/** Rings the workers after a commit, so that their relay claims at once and not at its next poll. */
export type Doorbell = {
  /** One datagram to each worker; never fails and never waits. A lost one costs a poll interval, nothing else. */
  ring(): void
  close(): void
}

/** How long the addresses of the workers are believed. */
const ADDRESSES_FRESH_MS = 1_000

type Options = {
  /** Addresses `host:port` of the live workers, from their heartbeats. */
  readonly listAddresses: () => Promise<string[]>
}

/** A bell whose datagrams are coalesced: rings within one turn of the event loop are one. */
export function createDoorbell({ listAddresses }: Options): Doorbell {
  const socket = createSocket({ type: 'udp4' })
  socket.unref()
  socket.on('error', () => undefined)
  let addresses: string[] = []
  let readAtMs = 0
  let isRinging = false

  async function refresh(): Promise<void> {
    if (Date.now() - readAtMs < ADDRESSES_FRESH_MS) return
    readAtMs = Date.now()
    addresses = await listAddresses().catch(() => addresses)
  }

  async function send(): Promise<void> {
    await refresh()
    for (const address of addresses) {
      const separator = address.lastIndexOf(':')
      socket.send('ring', Number(address.slice(separator + 1)), address.slice(0, separator), () => undefined)
    }
  }

  return {
    ring() {
      if (isRinging) return
      isRinging = true
      setImmediate(() => {
        isRinging = false
        send().catch(() => undefined)
      })
    },
    close: () => socket.close(),
  }
}

/** Listens for rings on the UDP port. Resolves once it is bound; close the socket to stop. */
export function listenForRings(host: string, port: number, onRing: () => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4' })
    socket.once('error', reject)
    socket.on('message', onRing)
    socket.bind(port, host, () => {
      socket.removeListener('error', reject)
      socket.on('error', () => undefined)
      resolve(socket)
    })
  })
}
