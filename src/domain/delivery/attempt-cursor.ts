/**
 * A position in the list of a delivery's attempts, as clients get it: opaque, and of no use for another delivery.
 *
 * @param number of the last attempt that was shown
 */
export const attemptCursor = (deliveryId: string, number: number): string =>
  Buffer.from(`${number}.${deliveryId}`).toString('base64url')

/** The number in a cursor of the delivery; undefined for anything that `attemptCursor` did not make for it. */
export function readAttemptCursor(deliveryId: string, cursor: string): number | undefined {
  const number = Number(Buffer.from(cursor, 'base64url').toString('utf8').split('.')[0])
  return Number.isSafeInteger(number) && number > 0 && attemptCursor(deliveryId, number) === cursor
    ? number
    : undefined
}
