/** The first `limit` UTF-16 units of a longer text, or one fewer, so that no surrogate pair is cut. */
export function cutText(text: string, limit: number): { readonly shown: string; readonly isCut: boolean } {
  if (text.length <= limit) return { shown: text, isCut: false }
  const last = text.charCodeAt(limit - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return { shown: text.slice(0, splitsPair ? limit - 1 : limit), isCut: true }
}

/** Characters of a name that a title has room for. */
const NAME_LIMIT = 60

/** A name in the title of a dialog: `“Billing”`, cut where it is long, isolated so that it cannot reorder the words beside it. */
export function quoted(name: string): string {
  const { shown, isCut } = cutText(name, NAME_LIMIT)
  return `“\u2068${shown}${isCut ? '…' : ''}\u2069”`
}
