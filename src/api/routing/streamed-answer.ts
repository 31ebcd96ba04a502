import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from 'koa'
import { ApiError } from '../../domain/errors.ts'

/** Runs a piece of work under the limits of the route's cost class. */
type Within = <T>(work: () => Promise<T>) => Promise<T>

type Parts = {
  /** The media type, such as `text/csv; charset=utf-8`. */
  readonly type: string
  /** The name of the file for browsers. */
  readonly fileName: string
  /** Makes the texts of the answer. Each text is made after the client has taken the text before it. */
  readonly parts: (within: Within) => AsyncGenerator<string>
  /** Called once, when the answer has ended, whole or not. */
  readonly onEnd: () => void
  /** Called before `onEnd` if a part could not be made. */
  readonly onFault: (error: unknown) => void
}

/** If the limits refuse a part, it is tried TRIES times in total, with a pause of PAUSE_MS between two tries. */
const TRIES = 10
const PAUSE_MS = 1_000

/**
 * An answer that is too large for memory. Its parts are made one after the other, as the client takes them. The limits
 * of the cost class apply while a part is made. Between two parts the answer counts against no limit. It ends if the
 * client is gone or stops reading (edge/unread-answers). If it cannot be finished, it ends without its last chunk, so
 * that the client notices that it is not complete.
 */
export class StreamedAnswer {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Sends the answer. */
  sendTo(ctx: Context, within: Within): void {
    const { type, fileName, onEnd } = this.#parts
    const stream = Readable.from(this.#made(ctx, within), { objectMode: false, highWaterMark: 1 })
    stream.once('close', onEnd)
    // Also called if the client is gone. A client that is still there gets what was written before.
    stream.once('error', () => ctx.req.socket.destroySoon())
    ctx.type = type
    ctx.set('Content-Disposition', `attachment; filename="${fileName}"`)
    ctx.set('Cache-Control', 'no-store')
    ctx.body = stream
  }

  async *#made({ res }: Context, within: Within): AsyncGenerator<string> {
    try {
      yield* this.#parts.parts(patiently(within))
    } catch (error) {
      // Node throws here too if the client is gone.
      if (!res.destroyed) this.#parts.onFault(error)
      throw error
    }
  }
}

/** Like `within`, but tries again if the limits refuse the work for the moment. */
const patiently =
  (within: Within): Within =>
  async (work) => {
    for (let tries = 1; ; tries++) {
      try {
        return await within(work)
      } catch (error) {
        if (tries === TRIES || !isBusy(error)) throw error
        await pause(PAUSE_MS, undefined, { ref: false })
      }
    }
  }

const isBusy = (error: unknown): boolean =>
  error instanceof ApiError && ['RATE_LIMITED', 'SERVICE_UNAVAILABLE'].includes(error.code)
