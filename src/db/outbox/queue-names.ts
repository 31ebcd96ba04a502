/*
 * The queues of the outbox. Rows wait in one queue for the same thing, and the column `lane` has its name: a shared queue has
 * one of the names below, and a webhook's queues begin with its id.
 */

/** Queue of the commands that need no slot and end with one call. */
export const COMMAND_QUEUE = ''

/** Queue of commands that page through a whole webhook or company. */
export const PAGE_QUEUE = 'pages'

/** Queues of `handover` rows: of deliveries that have another attempt to come, and of those that failed for good. */
export const HANDOVER_QUEUE = 'handover'
export const FAILED_QUEUE = 'handover-failed'

/** The queues that all companies share. They need no slot, and sort before every webhook's queues. */
export const SHARED_QUEUES = [COMMAND_QUEUE, HANDOVER_QUEUE, FAILED_QUEUE, PAGE_QUEUE] as const

export type SharedQueue = (typeof SHARED_QUEUES)[number]

const isShared = (queue: string): boolean => SHARED_QUEUES.some((shared) => shared === queue)

const DUE_MARK = '+'
const DIRECT_RETRY_MARK = '~'

/**
 * The webhook's queue of deliveries whose workflows wait for a slot. A webhook has two other queues: that of first attempts,
 * named by its id, and directRetryQueue.
 */
export const dueQueue = (webhookId: string): string => `${webhookId}${DUE_MARK}`

/**
 * The webhook's queue of direct retries. It is not that of first attempts, which wait while the endpoint fails, and not that
 * of due deliveries, whose rows take calls to Temporal.
 */
export const directRetryQueue = (webhookId: string): string => `${webhookId}${DIRECT_RETRY_MARK}`

/** The webhook whose slots the rows of a queue need; undefined for a queue that needs none. */
export function webhookOfQueue(queue: string): string | undefined {
  if (isShared(queue)) return undefined
  return queue.endsWith(DUE_MARK) || queue.endsWith(DIRECT_RETRY_MARK) ? queue.slice(0, -1) : queue
}

/** Whether the rows of a queue are first attempts. */
export const isFirstQueue = (queue: string): boolean => !isShared(queue) && webhookOfQueue(queue) === queue

/** Whether the rows of a queue are `start` rows. */
export const isStartQueue = (queue: string): boolean =>
  isFirstQueue(queue) || queue.endsWith(DIRECT_RETRY_MARK)
