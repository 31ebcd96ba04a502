import { ApiError } from '../domain/errors.js'

const MAXIMUM_DEPTH = 32
const MAXIMUM_VALUES = 20_000

/**
 * Refuses JSON that costs more to walk than to send, being deep or very wide, and keys of prototypes.
 *
 * @throws ApiError VALIDATION_ERROR
 */
export function checkJsonShape(root: object): void {
  let values = 0

  function walk(value: unknown, depth: number): void {
    if (value === Infinity || value === -Infinity) throw tooLargeNumber()
    if (typeof value !== 'object' || value === null) return
    if (depth > MAXIMUM_DEPTH) throw tooDeep()
    if (Object.hasOwn(value, '__proto__')) throw invalid('The request body has a key "__proto__".')
    for (const child of Object.values(value)) {
      if (++values > MAXIMUM_VALUES) throw tooWide()
      walk(child, depth + 1)
    }
  }
  walk(root, 1)
}

const tooDeep = () => invalid(`The request body is nested deeper than ${MAXIMUM_DEPTH} levels.`)
const tooWide = () => invalid(`The request body has more than ${MAXIMUM_VALUES} values.`)
const tooLargeNumber = () => invalid('The request body has a number that is too large.')
const invalid = (message: string) => new ApiError('VALIDATION_ERROR', message)
