/** The beginning of a text that is too long to show whole. Never ends between the halves of a character. */
export function cutText(text: string, limit: number): { readonly shown: string; readonly isCut: boolean } {
  if (text.length <= limit) return { shown: text, isCut: false }
  const last = text.charCodeAt(limit - 1)
  const isHalf = last >= 0xd800 && last <= 0xdbff
  return { shown: text.slice(0, isHalf ? limit - 1 : limit), isCut: true }
}

/** Characters of a name that a title has room for. */
const NAME_LIMIT = 60

/** A name in the title of a dialog: `“Billing”`, cut where it is long, isolated so that it cannot turn around the words beside it. */
export function quoted(name: string): string {
  const { shown, isCut } = cutText(name, NAME_LIMIT)
  return `“\u2068${shown}${isCut ? '…' : ''}\u2069”`
}
