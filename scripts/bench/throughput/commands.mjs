import { createServer } from 'node:http'

/** Load and receiver are processes of their own; the benchmark tells them what to do over a port on loopback. */

/**
 * Serves commands: POST /<name> with the argument as JSON.
 *
 * @param {number} port
 * @param {Record<string, (argument: any) => unknown>} commands each gives its result, or a promise of it
 */
export function serveCommands(port, commands) {
  const server = createServer(async (request, response) => {
    const reply = (/** @type {number} */ status, /** @type {unknown} */ content) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content ?? null))
    try {
      const chunks = []
      for await (const chunk of request) chunks.push(chunk)
      const command = commands[(request.url ?? '').slice(1)]
      if (command === undefined) throw new Error(`there is no command ${request.url}`)
      reply(200, await command(JSON.parse(Buffer.concat(chunks).toString('utf8'))))
    } catch (error) {
      reply(500, error instanceof Error ? (error.stack ?? error.message) : String(error))
    }
  })
  server.requestTimeout = 0
  server.listen(port, '127.0.0.1')
  process.on('SIGTERM', () => process.exit(0))
}

/**
 * @param {number} port of serveCommands
 * @returns {(name: string, argument?: unknown) => Promise<any>} carries out one command
 */
export const commander = (port) => async (name, argument) => {
  const response = await fetch(`http://127.0.0.1:${port}/${name}`, {
    method: 'POST',
    body: JSON.stringify(argument ?? {}),
  })
  const result = await response.json()
  if (!response.ok) throw new Error(`${name} failed: ${result}`)
  return result
}
