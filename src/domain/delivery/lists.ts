import type { ListWindow } from '../pagination.ts'
import type { SearchTerms } from '../search.ts'
import type { DeliveryStatus } from './delivery.ts'

/** Classes of responses to the latest attempt. `none`: no response came, or there was no attempt yet. */
export const RESPONSE_CLASSES = ['2xx', '3xx', '4xx', '5xx', 'none'] as const

export type ResponseClass = (typeof RESPONSE_CLASSES)[number]

/** The filter of a list of deliveries. An absent field restricts nothing. */
export type DeliveryFilter = ListWindow &
  SearchTerms & {
    /** The list has at least one status. */
    readonly statuses?: readonly DeliveryStatus[] | undefined
    readonly eventType?: string | undefined
    readonly eventId?: string | undefined
    /** Shows this delivery alone, if the other fields of the filter let it through. */
    readonly deliveryId?: string | undefined
    readonly response?: ResponseClass | undefined
  }

/** The first and last status code of a class. HTTP does not define 600 to 999: they are 5xx, as in the statistics. */
export function codesOf(response: Exclude<ResponseClass, 'none'>): readonly [number, number] {
  const first = Number(response.charAt(0)) * 100
  return [first, response === '5xx' ? 999 : first + 99]
}

/**
 * Makes the cursor that a client sends to get the next page of a delivery's attempts. Clients need not know what is in
 * it. A cursor works for its own delivery only.
 *
 * @param number the number of the last attempt on the previous page
 */
export const attemptCursor = (deliveryId: string, number: number): string =>
  Buffer.from(`${number}.${deliveryId}`).toString('base64url')

/** Reads the number in a cursor. Returns undefined for a text that `attemptCursor` did not make for this delivery. */
export function readAttemptCursor(deliveryId: string, cursor: string): number | undefined {
  const number = Number(Buffer.from(cursor, 'base64url').toString('utf8').split('.')[0])
  return Number.isSafeInteger(number) && number > 0 && attemptCursor(deliveryId, number) === cursor
    ? number
    : undefined
}
