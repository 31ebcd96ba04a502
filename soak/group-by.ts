/**
 * Groups a list; Map.groupBy of newer versions of Node.
 *
 * @template T, K
 * @param {Iterable<T>} list
 * @param {(item: T) => K} keyOf
 * @returns {Map<K, T[]>} in the order in which the keys came
 */
export function groupBy(list, keyOf) {
  /** @type {Map<K, T[]>} */
  const groups = new Map()
  for (const item of list) {
    const group = groups.get(keyOf(item))
    if (group) group.push(item)
    else groups.set(keyOf(item), [item])
  }
  return groups
}
