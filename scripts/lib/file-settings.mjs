import { readFileSync } from 'node:fs'

const SUFFIX = '_FILE'

/**
 * Adds settings of a file to an environment. What is set there wins, in either form: `PORT` also over `PORT_FILE`, and the
 * other way round. An empty value counts as not set, as it does for the service.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {NodeJS.Dict<string>} settings
 */
export function addSettings(env, settings) {
  const set = new Set(Object.keys(env).filter((name) => env[name]))
  for (const [name, value] of Object.entries(settings)) {
    const other = name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : `${name}${SUFFIX}`
    if (!set.has(other)) env[name] ||= value
  }
}

/**
 * Replaces `PORT_FILE` by `PORT` with what the file holds, and so on, because `npm start` reads and adds settings itself.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {readonly string[]} names of the settings that may come from files
 * @returns {NodeJS.ProcessEnv}
 * @throws {Error} when a setting comes in both forms, or its file cannot be read
 */
export function readFileSettings(env, names) {
  const read = { ...env }
  for (const name of names) {
    const { [name]: value, [`${name}${SUFFIX}`]: file } = env
    if (!file) continue
    if (value) throw new Error(`${name}${SUFFIX}: set ${name} or ${name}${SUFFIX}, not both`)
    read[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
    delete read[`${name}${SUFFIX}`]
  }
  return read
}
