import { installWithApt } from './apt.mjs'
import { findOnPath } from './commands.mjs'
import { findFirst } from './find.mjs'

/** @typedef {import('./find.mjs').Way<string>} BrowserWay gives the program's path */

/**
 * What distributions call it. Debian's shell without windows comes first: it is the same engine, and the tests take half the CPU
 * time in it.
 */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

/** Packages of Debian, with a font, without which pages have no letters; older releases have the second alone. */
const PACKAGES = ['chromium-headless-shell', 'chromium'].map((name) => [name, 'fonts-dejavu-core'])

/** @type {(context: import('./find.mjs').Context, dirs?: readonly string[]) => ReturnType<BrowserWay>} */
export async function fromInstalled({ env }, dirs = ['/usr/bin']) {
  for (const name of PROGRAMS) {
    const executable = findOnPath(name, env, dirs)
    if (executable !== undefined) return { found: executable }
  }
  return { missing: `none of ${PROGRAMS.join(', ')} is on PATH` }
}

/** @type {BrowserWay} Debian, as root: the system's packages */
export async function fromApt(context) {
  const missing = await installWithApt(context, 'a browser', PACKAGES)
  return missing === undefined ? fromInstalled(context) : { missing }
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
