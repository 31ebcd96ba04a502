import type { Deps } from '../deps/deps.ts'
import { listenForRings } from '../deps/doorbell.ts'
import { FeedReaders } from '../operations/event/feed-readers.ts'

/**
 * Listens for rings on the UDP port of the api. If the port cannot be used, readers find events up to a second later.
 *
 * @returns the readers that wait for events in this process. `stop` answers them at once. Readers that come later do not wait
 */
export async function listenForEvents(deps: Deps) {
  const { config, log, metrics } = deps
  const readers = new FeedReaders(deps)
  const socket = await listenForRings(config.host, config.port, {
    secretsKeys: config.secretsKeys,
    onRing: (hints) => readers.ring(hints),
    onDropped: (reason) => metrics.ringsDropped.inc({ reason }),
  }).catch((error: unknown) => {
    log.warn({ err: error }, 'the UDP port of the api cannot be used: readers of the feed wait longer')
    return undefined
  })
  return {
    readers,
    async stop() {
      socket?.close()
      await readers.stop()
    },
  }
}
