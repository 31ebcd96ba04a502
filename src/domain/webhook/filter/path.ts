/** Whether a name in a path is a number. Such a name selects an entry of an array. */
export const isIndex = (name: string): boolean => /^\d+$/.test(name)

/** A field of an object, or an entry of an array. An array has only its entries: its `length` is not enumerable. */
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.prototype.propertyIsEnumerable.call(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/**
 * A condition for the values at the end of a path. `visit` is called for each array on the way, and for each value at the end.
 */
type Question = { readonly holds: (value: unknown) => boolean; readonly visit: () => void }

/**
 * Whether the condition holds for any value at a path. As in MongoDB, a path that reaches an array goes on in each of its
 * entries, but not in the entries of an array within an array. A missing value is undefined. The recursion is as deep as the
 * value, which checkJsonShape limits.
 */
export function holdsAt(value: unknown, path: readonly string[], question: Question, at = 0): boolean {
  const name = path[at]
  if (!Array.isArray(value) || (name !== undefined && isIndex(name)))
    return holdsFrom(value, path, question, at)
  question.visit()
  const holdsForEntry = value.some((entry) => holdsFrom(entry, path, question, at))
  return holdsForEntry || (name === undefined && question.holds(value))
}

/** Like holdsAt, but does not look into the entries of an array, unless the path names the entry. */
function holdsFrom(value: unknown, path: readonly string[], question: Question, at: number): boolean {
  const name = path[at]
  if (name !== undefined && value !== undefined) return holdsAt(fieldOf(value, name), path, question, at + 1)
  question.visit()
  return question.holds(value)
}
