import { readFileSync } from 'node:fs'
import type { Deps } from '../process/deps.ts'
import { OperatorPost } from '../sending/operator-post.ts'
import { NoticeSender } from './notice-sender.ts'

/** For one batch of notices to NOTICE_URL. */
const NOTICE_TIMEOUT_MS = 10_000

export type Notices = Pick<NoticeSender, 'run' | 'stop'> & {
  /** Ends every connection. */
  close(): Promise<void>
}

/** The sender of notices with connections of its own: an operator's address that hangs delays nothing else. */
export function createNotices(
  deps: Deps,
  { owner, intervalMs }: { readonly owner: string; readonly intervalMs: number },
): Notices {
  const { webhookCaFile: caFile } = deps.config
  const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8')
  const post = new OperatorPost({ timeoutMs: NOTICE_TIMEOUT_MS, ca })
  const sender = new NoticeSender(deps, { owner, leaseMs: 1.5 * intervalMs + NOTICE_TIMEOUT_MS, post })
  return {
    run: () => sender.run(),
    stop: () => sender.stop(),
    close: () => post.close(),
  }
}
