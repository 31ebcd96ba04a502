/** A result for people: one `name: value` a line, with an empty line between the records of a list. */
export function formatForPeople(result: unknown): string {
  if (Array.isArray(result)) {
    return result.length === 0 ? 'none' : result.map((record) => formatForPeople(record)).join('\n\n')
  }
  if (typeof result !== 'object' || result === null) return formatValue(result)
  const entries = Object.entries(flatten(result))
  const width = Math.max(0, ...entries.map(([name]) => name.length))
  return entries.map(([name, value]) => `${`${name}:`.padEnd(width + 1)} ${formatValue(value)}`).join('\n')
}

/** `{usage: {day: 1}}` -> `{'usage.day': 1}`. */
const flatten = (record: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(record).flatMap(([name, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(flatten(value)).map(([inner, leaf]) => [`${name}.${inner}`, leaf])
        : [[name, value]],
    ),
  )

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (!Array.isArray(value)) return typeof value === 'string' ? value : JSON.stringify(value)
  return value.length === 0 ? '-' : value.map(formatEntry).join(', ')
}

const formatEntry = (entry: unknown): string =>
  typeof entry === 'object' && entry !== null ? Object.values(entry).join(' ') : String(entry)
