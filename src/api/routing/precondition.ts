import { ApiError } from '../../domain/errors.ts'

type Versioned = { readonly version: number }

/**
 * The entity tag of a webhook: its version, which grows with its configuration. Delivery figures change without it, so
 * that a client's If-Match does not fail because an event was delivered meanwhile.
 */
export const etagOf = ({ version }: Versioned): string => `"${version}"`

/**
 * Reads If-Match (RFC 9110, 13.1.1). Without the header every version is accepted; `*` accepts any; a weak tag never
 * matches.
 *
 * @returns a check of the locked object, which throws PRECONDITION_FAILED
 */
export function ifMatch(header: string): (object: Versioned) => void {
  if (header.trim() === '') return () => undefined
  const tags = header.split(',').map((tag) => tag.trim())
  return (object) => {
    if (tags.includes('*') || tags.includes(etagOf(object))) return
    throw new ApiError(
      'PRECONDITION_FAILED',
      'The webhook was changed since: If-Match names another version.',
    )
  }
}
