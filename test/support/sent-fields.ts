import { snakeCased } from '../../src/domain/fields/case.ts'
import { words } from './words.ts'

/**
 * What a client gets of a value: JSON, in which times are texts and members without a value are absent.
 *
 * @param names of the members, in snake case, that are sent under the names that the value has in camel case
 */
export function sentFields(value: object, names: string): Record<string, unknown> {
  const sent = snakeCased(JSON.parse(JSON.stringify(value)) as Record<string, unknown>)
  return Object.fromEntries(words(names).map((name) => [name, sent[name]]))
}
