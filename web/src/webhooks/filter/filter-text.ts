import { isObject } from '../../common/format/is-object.ts'

/** A filter as the API takes it. */
export type Filter = Readonly<Record<string, unknown>>

/** The filter that a text holds: null for an empty one, undefined for what is no JSON object. */
export function parseFilterText(text: string): Filter | null | undefined {
  if (text.trim() === '') return null
  try {
    const value = JSON.parse(text) as unknown
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** A filter as a person edits it. */
export const filterText = (filter: object | null | undefined): string =>
  filter ? JSON.stringify(filter, null, 2) : ''
