/** The first `limit` UTF-16 units of a longer text. It is one unit less if a surrogate pair would be cut. */
export function cutText(text: string, limit: number): { readonly shown: string; readonly isCut: boolean } {
  if (text.length <= limit) return { shown: text, isCut: false }
  const last = text.charCodeAt(limit - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return { shown: text.slice(0, splitsPair ? limit - 1 : limit), isCut: true }
}

/** The most characters of a name in a title. */
const NAME_LIMIT = 60

/**
 * A name for the title of a dialog: `“Billing”`. Long names are cut. Marks isolate the name, so that it cannot reorder the
 * words beside it.
 */
export function quoted(name: string): string {
  const { shown, isCut } = cutText(name, NAME_LIMIT)
  return `“\u2068${shown}${isCut ? '…' : ''}\u2069”`
}
