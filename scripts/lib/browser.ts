import { installWithApt } from './fetch.ts'
import { findFirst, findOnPath, type Answer, type Context } from './find.ts'

/**
 * What distributions call it. Debian's shell without windows comes first: it is the same engine, and the tests take half the CPU
 * time in it.
 */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

/** Packages of Debian for each browser, with a font, without which pages have no letters. Older releases have only the second browser. */
const PACKAGES = ['chromium-headless-shell', 'chromium'].map((name) => [name, 'fonts-dejavu-core'])

export function fromInstalled({ env }: Context, dirs = ['/usr/bin']): Answer<string> {
  const found = PROGRAMS.map((name) => findOnPath(name, env, dirs)).find((file) => file !== undefined)
  return found === undefined ? { missing: `none of ${PROGRAMS.join(', ')} is on PATH` } : { found }
}

/** Debian, as root: the system's packages. */
export const fromApt = (context: Context) => installWithApt(context, 'a browser', PACKAGES, fromInstalled)

/** Finds a Chromium for the tests of the console. @returns path of the program */
export const findBrowser = findFirst<string>(
  'browser',
  [fromInstalled, fromApt],
  [
    'install Chromium so that chromium is on PATH (Debian: apt-get install chromium-headless-shell fonts-dejavu-core)',
  ],
)
