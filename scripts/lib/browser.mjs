import { findOnPath, lastLines, run } from './commands.mjs'
import { findFirst } from './find.mjs'

/** @typedef {import('./find.mjs').Way<string>} BrowserWay gives the program's path */

/** What distributions call it. */
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome']

/** @type {(context: import('./find.mjs').Context, dirs?: readonly string[]) => ReturnType<BrowserWay>} */
export async function fromInstalled({ env }, dirs = ['/usr/bin']) {
  for (const name of PROGRAMS) {
    const executable = findOnPath(name, env, dirs)
    if (executable !== undefined) return { found: executable }
  }
  return { missing: `none of ${PROGRAMS.join(', ')} is on PATH` }
}

/** @type {BrowserWay} Debian, as root: the system's packages, with a font, without which pages have no letters */
export async function fromApt(context) {
  const { env, platform, userId, onUpdate } = context
  const apt = findOnPath('apt-get', env)
  if (platform !== 'linux' || apt === undefined)
    return { missing: 'there is no apt-get to install a browser with' }
  if (userId !== 0) return { missing: 'apt-get could install a browser, but only as root' }
  const quiet = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, onLine: onUpdate }
  await run(apt, ['update'], quiet) // a stale list may still do: only the install decides
  const names = ['chromium', 'fonts-dejavu-core']
  const { code, output } = await run(apt, ['install', '--yes', '--no-install-recommends', ...names], quiet)
  if (code !== 0) return { missing: `apt-get could not install ${names[0]}: ${lastLines(output, 1)}` }
  return fromInstalled(context)
}

/**
 * Finds a Chromium for the tests of the console.
 *
 * @param {import('./find.mjs').Context} context
 * @returns {Promise<string>} path of the program
 * @throws {Error} naming the choices
 */
export const findBrowser = (context) =>
  findFirst([(c) => fromInstalled(c), fromApt], context, {
    what: 'browser',
    choices: [
      'install Chromium so that chromium is on PATH (Debian: apt-get install chromium fonts-dejavu-core)',
    ],
  })
