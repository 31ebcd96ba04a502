/** A filter as the API takes it. */
export type Filter = Readonly<Record<string, unknown>>

/** The filter that a text holds: null for an empty one, undefined for what is no JSON object. */
export function parseFilterText(text: string): Filter | null | undefined {
  if (text.trim() === '') return null
  try {
    const value = JSON.parse(text) as unknown
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Filter)
      : undefined
  } catch {
    return undefined
  }
}

/** A filter as a person edits it. */
export const filterText = (filter: object | null | undefined): string =>
  filter ? JSON.stringify(filter, null, 2) : ''
