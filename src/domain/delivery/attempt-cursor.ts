/**
 * Makes the cursor that a client sends to get the next page of a delivery's attempts. Clients need not know what is in
 * it. A cursor works for its own delivery only.
 *
 * @param number the number of the last attempt on the page before
 */
export const attemptCursor = (deliveryId: string, number: number): string =>
  Buffer.from(`${number}.${deliveryId}`).toString('base64url')

/** Reads the number in a cursor. Gives undefined for a text that `attemptCursor` did not make for this delivery. */
export function readAttemptCursor(deliveryId: string, cursor: string): number | undefined {
  const number = Number(Buffer.from(cursor, 'base64url').toString('utf8').split('.')[0])
  return Number.isSafeInteger(number) && number > 0 && attemptCursor(deliveryId, number) === cursor
    ? number
    : undefined
}
