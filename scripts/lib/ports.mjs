import { createServer } from 'node:net'

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
 * Picks a free TCP port for each preference: the preferred port where it is free, any other where it is taken or 0.
 * All ports are held until the last one is chosen, so they differ.
 *
 * @param {readonly number[]} preferred
 * @param {string} [host]
 * @returns {Promise<number[]>} in the order of the preferences
 */
export async function freePorts(preferred, host = '127.0.0.1') {
  /** @type {import('node:net').Server[]} */
  const servers = []
  for (const port of preferred) {
    const server = (await listen(port, host)) ?? (await listen(0, host))
    if (server === undefined) throw new Error(`No port of ${host} can be listened on`)
    servers.push(server)
  }
  const ports = servers.map((server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}
