import type { TLSSocket } from 'node:tls'
import type { Context } from 'koa'
import type { Transport } from '../domain/client-address.js'

/** How the request came to us, for the rules of domain/client-address. */
export const transportOf = (ctx: Context, isTrusted: Transport['isTrusted']): Transport => ({
  peer: ctx.req.socket.remoteAddress ?? '',
  isTrusted,
  isEncrypted: (ctx.req.socket as Partial<TLSSocket>).encrypted === true,
  forwardedProto: ctx.get('X-Forwarded-Proto'),
})
