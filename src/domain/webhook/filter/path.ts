/** Names of a path that are numbers stand for entries of arrays. */
export const isIndex = (name: string): boolean => /^\d+$/.test(name)

/** A field of an object, or an entry of an array. An array has no other: its `length` is not enumerable. */
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.prototype.propertyIsEnumerable.call(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** What is asked at the end of a path. `visit` is called for each array on the way and each value at the end. */
type Question = { readonly holds: (value: unknown) => boolean; readonly visit: () => void }

/**
 * Whether something holds for any value at a path. As in MongoDB the path goes on in each entry of an array, and
 * an array within an array is no more than an entry. A missing value is undefined. It calls itself no deeper than the value is.
 */
export function holdsAt(value: unknown, path: readonly string[], question: Question, at = 0): boolean {
  const name = path[at]
  if (!Array.isArray(value) || (name !== undefined && isIndex(name)))
    return holdsFrom(value, path, question, at)
  question.visit()
  const holdsForEntry = value.some((entry) => holdsFrom(entry, path, question, at))
  return holdsForEntry || (name === undefined && question.holds(value))
}

/** The same for a value that is no array, or an entry of one. */
function holdsFrom(value: unknown, path: readonly string[], question: Question, at: number): boolean {
  const name = path[at]
  if (name !== undefined && value !== undefined) return holdsAt(fieldOf(value, name), path, question, at + 1)
  question.visit()
  return question.holds(value)
}
