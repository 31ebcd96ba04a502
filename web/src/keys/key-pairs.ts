import type { Key } from '../common/api/wire.ts'

/** A key in a list. The old key of a rotation stands right below the new one. */
export type ListedKey = {
  readonly key: Key
  /** The key in the row above, if it replaces this one. */
  readonly isOld: boolean
  /** The other key of its rotation, unless a row beside it shows that key. */
  readonly other?: OtherKey | undefined
}

type OtherKey = { readonly id: string; readonly is: 'old' | 'new'; readonly until: string }

/**
 * The keys in their order, except that an old key that still works stands right below its replacement. Both must be in the
 * list.
 */
export function inPairs(keys: readonly Key[]): readonly ListedKey[] {
  const byId = new Map(keys.map((key) => [key.id, key]))
  const olds = new Set(
    keys.flatMap(({ replaces }) => (replaces && byId.has(replaces.id) ? [replaces.id] : [])),
  )
  const listed: ListedKey[] = []
  for (const key of keys) {
    if (olds.has(key.id)) continue
    // The replacement may itself have been rotated while its old key still worked.
    for (let next: Key | undefined = key; next; next = next.replaces ? byId.get(next.replaces.id) : undefined)
      listed.push({ key: next, isOld: next !== key, ...otherOf(next, next !== key, byId) })
  }
  return listed
}

function otherOf(
  { replaces, rotated_to, state, expires_at }: Key,
  isOld: boolean,
  byId: ReadonlyMap<string, Key>,
) {
  if (replaces && !byId.has(replaces.id))
    return { other: { id: replaces.id, is: 'old', until: replaces.expires_at } as const }
  if (isOld || rotated_to === null || expires_at === null || state !== 'in_rotation') return {}
  return { other: { id: rotated_to, is: 'new', until: expires_at } as const }
}
