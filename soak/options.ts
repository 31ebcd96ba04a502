import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

/**
 * Reads the options of the command line. Each has the type of its default: a text, or a number above 0. `--seed` is drawn unless given.
 *
 * @throws Error for an unknown option, or a number that is none
 */
export function readOptions<Options extends Record<string, string | number>>(defaults: Options) {
  const usual = { seed: String(randomInt(1_000_000)), ...defaults }
  const names = Object.keys(usual)
  const { values } = parseArgs({
    options: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  })
  const chosen = Object.entries({ ...usual, ...values }).map(([name, value]) => {
    if (typeof defaults[name] !== 'number') return [name, value]
    if (!(Number(value) > 0)) throw new Error(`--${name} must be a number above 0`)
    return [name, Number(value)]
  })
  return Object.fromEntries(chosen) as typeof usual
}
