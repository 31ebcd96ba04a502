import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { endGroup, spawnGroup } from '../../lib/process-groups.mjs'

/*
 * Runs an attack in a process of its own, so that it takes no time from the client that measures. As a program:
 * node attacker.mjs <module URL> <exported function> <its argument as JSON>; prints the function's result as JSON.
 */

/**
 * Calls an exported function in another process.
 *
 * @param {string | URL} module such as new URL('../unknown-keys.mjs', import.meta.url)
 * @param {string} name of the exported function
 * @param {unknown} options its one argument, which must survive JSON
 * @returns {{ started: Promise<void>, result: Promise<any>, end: () => Promise<void> }} started: resolves once the process
 *   calls, because its start takes processor time. result: what the function gave; the process then lives on for as long
 *   as it holds something open. end: ends it at once
 */
export function startAttacker(module, name, options) {
  const args = [fileURLToPath(import.meta.url), String(module), name, JSON.stringify(options)]
  const child = spawnGroup(process.execPath, args, { name: `attack ${name}`, graceMs: 0 })
  /** @type {string[]} */
  const errors = []
  child.stderr?.on('data', (chunk) => errors.push(String(chunk)))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const read = async () => {
    const { done, value } = await lines.next()
    if (done) throw new Error(`the attack ${name} ended early: ${errors.join('')}`)
    return JSON.parse(value)
  }
  const started = read()
  const result = started.then(read)
  result.catch(() => undefined)
  return { started, result, end: () => endGroup(child.pid) }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [module, name, options] = process.argv.slice(2)
  const attack = (await import(module))[name]
  console.log('null')
  console.log(JSON.stringify((await attack(JSON.parse(options))) ?? null))
}
