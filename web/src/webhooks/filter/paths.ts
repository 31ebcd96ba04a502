import { isObject } from '../../common/format/is-object.ts'

/** The parts of an event that a filter may test. */
const ROOTS = ['event', 'subject', 'data', 'previous']

/** The paths to all values in examples of events, sorted. */
export function pathsOf(examples: readonly unknown[]): readonly string[] {
  const paths = new Set<string>(ROOTS.slice(0, 2))
  const add = (path: string, value: unknown): void => {
    if (isObject(value)) for (const [name, part] of Object.entries(value)) add(`${path}.${name}`, part)
    else paths.add(path)
  }
  for (const example of examples)
    for (const [name, part] of Object.entries(example as object)) if (ROOTS.includes(name)) add(name, part)
  return [...paths].sort()
}
