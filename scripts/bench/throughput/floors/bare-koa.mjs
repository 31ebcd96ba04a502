import { once } from 'node:events'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'

/**
 * Serves what answers every publish with 201 and an id, and does nothing else.
 *
 * @returns {Promise<{ port: number, pid: number }>} it serves until its process ends
 */
export async function serveKoa() {
  const app = new Koa()
  app.silent = true
  let count = 0
  app.use(bodyParser()).use((ctx) => {
    const { event } = /** @type {{ event: string }} */ (ctx.request.body)
    ctx.status = 201
    ctx.body = { data: { id: `evt_${++count}`, event, created_at: new Date().toISOString(), deliveries: 1 } }
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { port, pid: process.pid }
}
