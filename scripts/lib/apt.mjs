import path from 'node:path'
import { findOnPath, lastLines, run } from './commands.mjs'
import { withLock } from './lock.mjs'
import { cacheDir } from './paths.mjs'

/** One installation waits so long for those of other parts and other runs. */
const WAIT = { what: 'The installation of another run', timeoutMs: 600_000 }

/**
 * Does something with the system's apt while no other run of this user does: apt-get fails where another one is at work.
 *
 * @template T
 * @param {NodeJS.ProcessEnv} env
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export const withApt = (env, work) => withLock(path.join(cacheDir(env), 'apt.lock'), work, WAIT)

/**
 * Installs packages of Debian or Ubuntu, which only root can.
 *
 * @param {import('./find.mjs').Context} context
 * @param {string} what such as "a server", for the reason
 * @param {readonly (readonly string[])[]} choices sets of packages: the first that can be had is installed
 * @returns {Promise<string | undefined>} why nothing was installed
 */
export async function installWithApt({ env, platform, userId, onUpdate }, what, choices) {
  const apt = findOnPath('apt-get', env)
  if (platform !== 'linux' || apt === undefined) return `there is no apt-get to install ${what} with`
  if (userId !== 0) return `apt-get could install ${what}, but only as root`
  const quiet = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, onLine: onUpdate }
  return withApt(env, async () => {
    await run(apt, ['update'], quiet) // a stale list may still do: only the install decides
    let reason
    for (const names of choices) {
      const install = ['install', '--yes', '--no-install-recommends', ...names]
      const { code, output } = await run(apt, install, quiet)
      if (code === 0) return undefined
      reason = `apt-get could not install ${names[0]}: ${lastLines(output, 1)}`
    }
    return reason
  })
}
