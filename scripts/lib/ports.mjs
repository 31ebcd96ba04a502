import { createServer } from 'node:net'

/** Services that start beside each other keep their distance. */
const STEP = 20
const TRIES = 10

/**
 * @param {number} port 0 for any
 * @param {string} host
 * @returns {Promise<import('node:net').Server | undefined>} undefined when the port is taken
 */
function listen(port, host) {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port, host, exclusive: true }, () => resolve(server))
  })
}

/**
 * Picks a free TCP port for each preference: the preferred one where it is free, else the one STEP later, and so on;
 * any free one for 0 or when all of these are taken. All ports are held until the last one is chosen, so they differ.
 *
 * @param {readonly number[]} preferred
 * @param {string} [host]
 * @returns {Promise<number[]>} in the order of the preferences
 */
export async function freePorts(preferred, host = '127.0.0.1') {
  /** @type {import('node:net').Server[]} */
  const servers = []
  for (const port of preferred) servers.push(await firstFree(port, host))
  const ports = servers.map((server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

/** @param {number} port @param {string} host @returns {Promise<import('node:net').Server>} */
async function firstFree(port, host) {
  const candidates = port === 0 ? [] : Array.from({ length: TRIES }, (_, index) => port + index * STEP)
  for (const candidate of [...candidates.filter((number) => number < 65_536), 0]) {
    const server = await listen(candidate, host)
    if (server) return server
  }
  throw new Error(`No port of ${host} can be listened on`)
}
