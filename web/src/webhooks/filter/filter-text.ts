import { isObject } from '../../common/format/is-object.ts'

/** A filter in the form of the API. */
export type Filter = Readonly<Record<string, unknown>>

/** Reads a filter from a text: null for an empty text, undefined if it is not a JSON object. */
export function parseFilterText(text: string): Filter | null | undefined {
  if (text.trim() === '') return null
  try {
    const value = JSON.parse(text) as unknown
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A filter while it is being edited. */
export const filterText = (filter: object | null | undefined): string =>
  filter ? JSON.stringify(filter, null, 2) : ''
