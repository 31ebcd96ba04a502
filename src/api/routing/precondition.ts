import { ApiError, invalid } from '../../domain/errors.ts'

type Versioned = { readonly version: number | string }

/**
 * The entity tag of a webhook, a channel or a key. It is the object's version, which is new after each change of the
 * settings. Deliveries and requests do not change the version. So a delivered event never makes a client's If-Match
 * fail.
 */
export const etagOf = ({ version }: Versioned): string => `"${version}"`

/** One element of the list: an entity tag or nothing, and the comma or the end after it (RFC 9110, 5.6.1 and 8.8.3). */
const ELEMENT = /[ \t]*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*)?(?:,|$)/gy

/**
 * Reads If-Match (RFC 9110, 13.1.1). Without the header every version is accepted; `*` accepts any; a weak tag never
 * matches. The time is linear in the length of the header, which Node limits to 16 KiB.
 *
 * @returns a function that checks the locked object. It throws PRECONDITION_FAILED
 * @throws ApiError VALIDATION_ERROR if the header has another form
 */
export function ifMatch(header: string | undefined): (object: Versioned) => void {
  const given = header?.trim()
  if (given === undefined || given === '*') return () => undefined
  const tags = tagsOf(given)
  return (object) => {
    if (tags.includes(etagOf(object))) return
    throw new ApiError(
      'PRECONDITION_FAILED',
      'This was changed after you read it: If-Match names another version.',
    )
  }
}

function tagsOf(list: string): string[] {
  const elements = [...list.matchAll(ELEMENT)]
  const tags = elements.flatMap(([, tag]) => (tag === undefined ? [] : [tag]))
  const length = elements.reduce((sum, [element]) => sum + element.length, 0)
  if (length === list.length && tags.length > 0) return tags
  throw invalid('If-Match must be an ETag in quotes, a list of them, or *.')
}
