import { readFile } from 'node:fs/promises'
import { getOverTls, openSilently, watchCloses } from '../tls-calls.mjs'

const SILENT = 50
/** More connections than one address may have: that is a quarter of MAX_CONNECTIONS, which is 2,000. */
const TOO_MANY = 600
const PLACES = 500
const WAIT_MS = 20_000
/** The deadline of the handshake, and what a busy machine may add to it. */
const BOUND_SECONDS = 11
const AT_ONCE_SECONDS = 5

export const row = {
  id: 18,
  party: 'connections to the TLS port never shake hands',
  before: '50 of 50 still open after 290 s',
  bound: 'closed after 10 s; a limit of connections; nothing kept after an error',
  /** @param {import('../stack.mjs').HostileStack} stack */
  async run(stack) {
    const api = await stack.startApi({ TLS_CERT_FILE: stack.tls.certFile, TLS_KEY_FILE: stack.tls.keyFile })
    const ca = await readFile(stack.tls.certFile, 'utf8')
    await getOverTls(`${api.url}/healthz`, { ca })
    const silent = await watchCloses(await openSilently(api.url, SILENT), WAIT_MS)
    const wrong = await openSilently(api.url, SILENT)
    for (const socket of wrong) socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    const erring = await watchCloses(wrong, WAIT_MS)
    const many = await watchCloses(await openSilently(api.url, TOO_MANY), WAIT_MS)
    const refused = many.filter((seconds) => seconds < AT_ONCE_SECONDS).length
    const status = await getOverTls(`${api.url}/healthz`, { ca })
    await api.stop()
    const latest = Math.max(...silent, ...many)
    return {
      quiet: '0 open',
      attacked: `${SILENT - silent.length} of ${SILENT} open after ${Math.max(...silent).toFixed(1)} s`,
      isWithin:
        silent.length === SILENT &&
        many.length === TOO_MANY &&
        refused === TOO_MANY - PLACES &&
        erring.length === SILENT &&
        Math.max(...erring) < AT_ONCE_SECONDS &&
        latest < BOUND_SECONDS &&
        status === 200,
      note: `of ${TOO_MANY} at once ${refused} were closed at once and the last one after ${latest.toFixed(1)} s; ${erring.length} of ${SILENT} that sent no TLS were closed within ${Math.max(...erring).toFixed(1)} s`,
    }
  },
}
