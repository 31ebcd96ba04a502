import { findOnPath, lastLines, run } from './commands.mjs'
import { findFirst } from './find.mjs'

/** @typedef {import('./find.mjs').Way<string>} BrowserWay gives the program's path */

/**
 * What distributions call it. Debian's shell without windows comes first: it is the same engine, and the tests take half the CPU
 * time in it.
 */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

/** Packages of Debian; older releases have the second alone. */
const PACKAGES = ['chromium-headless-shell', 'chromium']

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
  let reason = ''
  for (const name of PACKAGES) {
    const install = ['install', '--yes', '--no-install-recommends', name, 'fonts-dejavu-core']
    const { code, output } = await run(apt, install, quiet)
    if (code === 0) return fromInstalled(context)
    reason = `apt-get could not install ${name}: ${lastLines(output, 1)}`
  }
  return { missing: reason }
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
      'install Chromium so that chromium is on PATH (Debian: apt-get install chromium-headless-shell fonts-dejavu-core)',
    ],
  })
