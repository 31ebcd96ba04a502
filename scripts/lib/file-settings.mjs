import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'

const SUFFIX = '_FILE'

/** @param {string} file @returns {NodeJS.Dict<string>} its settings; none when it is not there */
export const readSettings = (file) => (existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {})

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
