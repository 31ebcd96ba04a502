import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePorts } from '../../lib/ports.mjs'
import { tcpAnswers, waitUntil } from '../../lib/ready.mjs'
import { commander } from './commands.mjs'

/** @typedef {ReturnType<typeof commander>} Commander */

/**
 * Starts the two programs of the benchmark: the one that publishes and the one that has the endpoints.
 *
 * @param {Pick<import('../../lib/supervisor.mjs').Supervisor, 'start'>} supervisor
 * @param {object} options
 * @param {string} options.dir for their logs
 * @param {string} options.apiUrl http, on 127.0.0.1
 * @param {readonly string[]} options.keys that publish in turns
 * @param {{ certFile: string, keyFile: string }} options.tls of the endpoints
 * @param {number} options.tlsPort of the endpoints
 * @returns {Promise<{ load: Commander, receiver: Commander, endpoint: (path: string) => string }>} commands of load.mjs and
 *   of receiver.mjs, and the URL of an endpoint
 */
export async function startPrograms(supervisor, { dir, apiUrl, keys, tls, tlsPort }) {
  const [loadPort, receiverPort] = await freePorts([0, 0])
  const start = (/** @type {string} */ name, /** @type {(string | number)[]} */ ...args) =>
    supervisor.start({
      name,
      command: process.execPath,
      graceMs: 2_000,
      logFile: path.join(dir, `${name}.log`),
      args: [fileURLToPath(new URL(`./${name}.mjs`, import.meta.url)), ...args.map(String)],
    })
  start('load', loadPort, new URL(apiUrl).port, keys.join())
  start('receiver', receiverPort, tlsPort, tls.certFile, tls.keyFile)
  for (const port of [loadPort, receiverPort, tlsPort])
    await waitUntil('Load and receiver', () => tcpAnswers('127.0.0.1', port))
  return {
    load: commander(loadPort),
    receiver: commander(receiverPort),
    endpoint: (name) => `https://127.0.0.1:${tlsPort}${name}`,
  }
}
