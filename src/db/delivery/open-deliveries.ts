import { isOpen, type ClosedReason } from '../../domain/delivery/delivery.ts'
import { close } from '../../domain/delivery/transitions.ts'
import { inTransaction, type SystemDb } from '../connection/connection.ts'
import { readRows, runIn } from '../connection/statements.ts'
import { IS_ON_ITS_WAY, deleteWaiting } from '../outbox/outbox.ts'
import { writeOutcomes, lockDeliveries } from './outcomes.ts'

/** How many deliveries were closed, and how many were left out because another transaction locks them. */
type Closing = { readonly closed: number; readonly lockedElsewhere: number }

/**
 * Sets deliveries to `failed` if they are still open. Removes the waiting outbox rows of all the deliveries. It skips
 * deliveries that another transaction locks.
 */
export async function closeDeliveries(
  db: SystemDb,
  ids: readonly string[],
  reason: ClosedReason,
): Promise<Closing> {
  return inTransaction(db, async (trx) => {
    const { locked, lockedElsewhere, now } = await lockDeliveries(runIn(trx), ids)
    const open = [...locked.values()].filter(({ delivery }) => isOpen(delivery))
    const changes = open.map((before) => ({ before, after: close(before.delivery, reason) }))
    await writeOutcomes(runIn(trx), changes, now)
    await deleteWaiting(
      trx,
      ids.filter((id) => !lockedElsewhere.has(id)),
    )
    return { closed: open.length, lockedElsewhere: lockedElsewhere.size }
  })
}

/** Some open deliveries of a webhook. */
type OpenPage = {
  /** The deliveries that may be closed now. */
  readonly ids: readonly string[]
  /**
   * Whether the page also has deliveries with a direct attempt under way. They are closed once their attempts are
   * recorded.
   */
  readonly isSending: boolean
}

/**
 * Some open deliveries of a webhook, in no particular order. The next page needs no starting place, because the
 * deliveries of this page are closed before it is read.
 */
export async function listOpenDeliveries(db: SystemDb, webhookId: string, limit: number): Promise<OpenPage> {
  const rows = await readRows<{ id: string; start_id: number | null }>(db)`
    SELECT page.id, o.id AS start_id
      FROM (SELECT id FROM deliveries
             WHERE webhook_id = ${webhookId} AND status IN ('pending', 'retrying') LIMIT ${limit}) page
      LEFT JOIN outbox o ON o.kind = 'start' AND o.subject_id = page.id AND ${IS_ON_ITS_WAY}`
  const isClosable = ({ start_id }: { start_id: number | null }) => start_id === null
  return { ids: rows.filter(isClosable).map(({ id }) => id), isSending: !rows.every(isClosable) }
}
