import { readFile } from 'node:fs/promises'
import { inTurns, median } from '../../phases.mjs'
import { getOverTls, openSilently } from '../tls-calls.mjs'
import { waitUntil } from '../../../lib/ready.mjs'

const CALLS = 5
const SILENT = 1
/** The default of SHUTDOWN_GRACE. */
const GRACE_SECONDS = 20

export const row = {
  id: 11,
  party: 'a connection to the TLS port never speaks; the api is told to stop',
  before: 'no exit within 40 s, last usage counts lost',
  bound: 'exit within the grace of 20 s, usage kept',
  /** @param {import('../stack.mjs').HostileStack} stack */
  async run(stack) {
    const { companyId, key } = await stack.tenant()
    const ca = await readFile(stack.tls.certFile, 'utf8')
    const settings = { TLS_CERT_FILE: stack.tls.certFile, TLS_KEY_FILE: stack.tls.keyFile }
    let silent = 0
    /** @type {(number | null)[]} */
    const codes = []
    let calls = 0
    /** Starts an api, calls it, and gives how many seconds it takes to end. */
    const measure = async () => {
      const api = await stack.startApi(settings)
      const sockets = await openSilently(api.url, silent)
      for (let n = 0; n < CALLS; n++) {
        const status = await getOverTls(`${api.url}/api-v1-webhooks`, { ca, key })
        if (status !== 200) throw new Error(`a call was answered with ${status}`)
        calls += 1
      }
      const { code, seconds } = await api.stop()
      codes.push(code)
      for (const socket of sockets) socket.destroy()
      return seconds
    }
    const attack = async () => {
      silent = SILENT
      return () => (silent = 0)
    }
    const { quiet, attacked } = await inTurns({ measure, attack })
    const counted = await requestsOf(stack.db, companyId, calls)
    return {
      quiet: shown(quiet),
      attacked: shown(attacked),
      isWithin:
        Math.max(...attacked) < GRACE_SECONDS && codes.every((code) => code === 0) && counted === calls,
      note: `from SIGTERM to the exit; exit codes ${[...new Set(codes)].join(', ')}; ${counted} of ${calls} calls are in the usage`,
    }
  },
}

/** @param {readonly number[]} seconds */
const shown = (seconds) => `${median(seconds).toFixed(2)} s`

/**
 * @param {import('knex').Knex} db
 * @param {string} companyId
 * @param {number} calls that are expected
 * @returns {Promise<number>} the calls that the usage of the company's keys counts
 */
async function requestsOf(db, companyId, calls) {
  const read = async () => {
    const [row] = await db('api_keys').where({ company_id: companyId }).sum({ requests: 'request_count' })
    return Number(row?.requests)
  }
  await waitUntil('The usage', async () => (await read()) === calls, { timeoutMs: 5_000 }).catch(
    () => undefined,
  )
  return read()
}
