import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:tls'

const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </style.css>; rel=preload\r\n\r\n'.repeat(100)

/**
 * Starts an endpoint that answers every request with Early Hints without end, as fast as they are read.
 *
 * @param {{ certFile: string, keyFile: string }} tls
 * @returns {Promise<{ url: string }>}
 */
export async function answerWithHints({ certFile, keyFile }) {
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)])
  const server = createServer({ cert, key }, (socket) => {
    const write = () => {
      while (!socket.destroyed && socket.write(HINTS)) continue
    }
    socket.on('error', () => undefined).once('data', () => socket.on('drain', write) && write())
  })
  server.on('tlsClientError', () => undefined)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { url: `https://127.0.0.1:${port}/hook` }
}
