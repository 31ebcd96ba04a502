import { retryStopped } from '../db/connection/stopped.ts'
import { createBatch, deleteBatch, findOpenBatch, type NoticeBatch } from '../db/notice/batches.ts'
import { takeLease } from '../db/workers.ts'
import { newId } from '../domain/ids.ts'
import { LineInterval } from '../domain/line-interval.ts'
import type { Notice } from '../domain/notice/notice.ts'
import { WEBHOOK_USER_AGENT } from '../domain/webhook/headers.ts'
import { signatureHeaders } from '../domain/webhook/signing.ts'
import { presentNoticeBatch } from '../presenters/notices.ts'
import type { SystemDeps } from '../deps/deps.ts'
import { readWebhookCa } from '../deps/webhook-ca.ts'
import { OperatorPost, type PostResult } from '../sending/operator-post.ts'
import type { Job } from './upkeep.ts'

/** One batch has at most this many notices. */
const BATCH = 100
/** How often the log says that notices cannot be sent. */
const LINE_EVERY_MS = 600_000

type Options = {
  readonly owner: string
  /** How long this worker keeps the lease of the sender without renewal, in milliseconds. */
  readonly leaseMs: number
  readonly post: Pick<OperatorPost, 'send' | 'close'>
}

/**
 * Sends notices to NOTICE_URL, one batch in a look, from one worker at a time. A batch is stored before it is first sent, and
 * deleted after a 2xx answer. So every repeat has the same `webhook-id` and the same bytes, even from another worker.
 */
export class NoticeSender implements Job {
  readonly #deps: Pick<SystemDeps, 'db' | 'config' | 'log' | 'metrics' | 'clock'>
  readonly #options: Options
  readonly #lines = new LineInterval(LINE_EVERY_MS)
  readonly #stopped = new AbortController()
  readonly #turns = { after: '' }

  constructor(deps: Pick<SystemDeps, 'db' | 'config' | 'log' | 'metrics' | 'clock'>, options: Options) {
    this.#deps = deps
    this.#options = options
  }

  /** Sends the waiting batch, or else a new batch. Never throws, but logs errors. */
  async look(): Promise<void> {
    const { db, config } = this.#deps
    const { owner, leaseMs } = this.#options
    try {
      if (!config.noticeTarget) return
      if (!(await takeLease(db, 'notice-sender', owner, Math.ceil(leaseMs / 1000)))) return
      const next = async () =>
        (await findOpenBatch(db)) ?? (await createBatch(db, BATCH, this.#turns, toBatch))
      const batch = await retryStopped(next)
      if (batch && (await this.#send(batch, config.noticeTarget)))
        await retryStopped(() => deleteBatch(db, batch.id))
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'notices could not be read for NOTICE_URL')
    }
  }

  /** Aborts the request under way. Its batch is sent again later. */
  stop(): void {
    this.#stopped.abort()
  }

  close(): Promise<void> {
    return this.#options.post.close()
  }

  /** @returns whether NOTICE_URL answered with 2xx */
  async #send({ id, body }: NoticeBatch, { url, secret }: { url: string; secret: string }): Promise<boolean> {
    const timestampSeconds = Math.floor(this.#deps.clock().getTime() / 1000)
    const headers = {
      'content-type': 'application/json',
      'user-agent': WEBHOOK_USER_AGENT,
      ...signatureHeaders({ secret, id, timestampSeconds, body }),
    }
    const { signal } = this.#stopped
    const result = await this.#options.post.send({ url, headers, body }, signal)
    const isSent = isSuccess(result)
    if (isSent || !signal.aborted) this.#tell(id, result, isSent)
    return isSent
  }

  #tell(id: string, result: PostResult, isSent: boolean): void {
    const { log, metrics } = this.#deps
    metrics.noticeBatches.inc({ result: isSent ? 'sent' : 'failed' })
    if (isSent) {
      this.#lines.reset()
      log.info({ batch_id: id }, 'notices sent to NOTICE_URL')
      return
    }
    const leftOut = this.#lines.admit(performance.now())
    if (leftOut === undefined) return
    const why = result.kind === 'answered' ? { status: result.status } : { error: result.reason }
    const facts = { batch_id: id, ...why, left_out: leftOut }
    log.warn(facts, 'NOTICE_URL did not take the notices; they are sent again')
  }
}

const isSuccess = (result: PostResult): boolean =>
  result.kind === 'answered' && result.status >= 200 && result.status <= 299

function toBatch(notices: readonly Notice[], now: Date): NoticeBatch {
  const id = newId('noticeBatch')
  return { id, body: Buffer.from(JSON.stringify(presentNoticeBatch(id, now, notices))) }
}

/** The time limit of the request with one batch, in milliseconds. */
const NOTICE_TIMEOUT_MS = 10_000

/** Creates the sender. It has its own connections, so that a NOTICE_URL that hangs delays no other work. */
export function createNotices(deps: SystemDeps, owner: string, intervalMs: number): NoticeSender {
  const post = new OperatorPost({ timeoutMs: NOTICE_TIMEOUT_MS, ca: readWebhookCa(deps.config) })
  return new NoticeSender(deps, { owner, leaseMs: 1.5 * intervalMs + NOTICE_TIMEOUT_MS, post })
}
