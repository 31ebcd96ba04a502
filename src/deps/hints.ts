/** A queue of the outbox, or an environment's feed, that has something new. A hint where to look. It grants no claim. */
export type Hint = { readonly companyId: string; readonly queue: string }

/** A datagram with more hints could be cut on its way. It then says only that there is something new. */
const MOST_HINTS = 12
const ANYWHERE = 'ring'
/** A line of a datagram with hints. */
const HINT = /^(com_[0-9a-f-]{36}) (whk_[0-9a-f-]{36}|live|test)$/

/** The line of a hint in a datagram. */
export const lineOf = ({ companyId, queue }: Hint): string => `${companyId} ${queue}`

/** The message for a datagram. @param lines undefined: the workers search everywhere */
export const writeHints = (lines: readonly string[] | undefined): string =>
  lines === undefined || lines.length > MOST_HINTS ? ANYWHERE : lines.join('\n')

/** The hints of a message; undefined when it has none, or another release wrote it. */
export function readHints(message: string): Hint[] | undefined {
  const lines = message.split('\n', MOST_HINTS + 1)
  const hints = lines.flatMap((line) => {
    const [, companyId, queue] = HINT.exec(line) ?? []
    return companyId !== undefined && queue !== undefined ? [{ companyId, queue }] : []
  })
  return hints.length === lines.length && hints.length <= MOST_HINTS ? hints : undefined
}
