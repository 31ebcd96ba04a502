import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { lastLines, run } from './commands.ts'
import { findOnPath, type Answer, type Context, type Way } from './find.ts'
import { withLock } from './lock.ts'
import { cacheDir } from './paths.mjs'

/**
 * Lets `fetch` bring something into the cache, unless it is there. `fetch` fills an empty folder of the cache and moves what it
 * brought to its place in one step (moveToPlace), so that a run that was cut short leaves nothing that looks whole. Of several
 * runs at the same time one fetches, and the others wait for what it brings. If it fails or is killed, the next one fetches.
 *
 * @param fetch throws an Error that says why it failed
 */
export function fetchOnce<Found>(
  context: Context,
  name: string,
  look: Way<Found>,
  fetch: (dir: string) => Promise<void>,
): Promise<Answer<Found>> {
  const cache = cacheDir(context.env)
  const onWait = () => context.onUpdate('waiting for the build or download that is under way')
  async function fetchAlone() {
    const there = await look(context)
    if ('found' in there) return there
    const dir = await mkdtemp(path.join(cache, '.fetch-'))
    try {
      await fetch(dir)
      return await look(context)
    } catch (error) {
      return { missing: (error as Error).message }
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  }
  return withLock(path.join(cache, `.${name}.lock`), fetchAlone, { onWait })
}

/** Ends a fetch: moves what it brought to its place in the cache, in place of remains that do not work. */
export async function moveToPlace(fetched: string, place: string): Promise<void> {
  await rm(place, { recursive: true, force: true })
  await rename(fetched, place)
}

/** @throws Error where Debian's packages cannot be had and unpacked */
export function needDebianTools({ env, platform }: Context, what: string): void {
  const missing = ['apt-get', 'apt-cache', 'dpkg-deb'].find((name) => !findOnPath(name, env))
  if (platform !== 'linux' || missing)
    throw new Error(`there is no ${missing ?? 'apt-get'} to fetch ${what} with`)
}

/** Unpacks all packages of Debian in a folder into another one. */
export async function unpackDebian(debs: string, target: string, env: NodeJS.ProcessEnv): Promise<void> {
  for (const file of await readdir(debs))
    await run('dpkg-deb', ['-x', path.join(debs, file), target], {
      env,
      fault: `${file} could not be unpacked`,
    })
}

/** Installs packages of npm into a folder, without their scripts. */
export function installFromNpm(dir: string, packages: readonly string[], env: NodeJS.ProcessEnv) {
  const flags = ['--no-save', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund']
  const args = ['install', '--prefix', dir, ...flags, ...packages]
  return run('npm', args, { env, cwd: dir, timeoutMs: 300_000, fault: 'npm could not install it' })
}

/** Runs work with the system's apt while no other run of this user does: apt-get fails while another one is at work. */
export const withApt = <T>({ env }: Context, work: () => Promise<T>): Promise<T> =>
  withLock(path.join(cacheDir(env), 'apt.lock'), work, {
    what: 'The installation of another run',
    timeoutMs: 600_000,
  })

/**
 * Installs packages of Debian or Ubuntu, which only root can, and looks for what was installed.
 *
 * @param what such as "a server", for the reason
 * @param choices sets of packages: the first one that can be installed is
 */
export async function installWithApt<Found>(
  context: Context,
  what: string,
  choices: readonly (readonly string[])[],
  look: Way<Found>,
): Promise<Answer<Found>> {
  const { env, platform, userId, onUpdate } = context
  const apt = findOnPath('apt-get', env)
  if (platform !== 'linux' || apt === undefined)
    return { missing: `there is no apt-get to install ${what} with` }
  if (userId !== 0) return { missing: `apt-get could install ${what}, but only as root` }
  const quiet = { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, onLine: onUpdate }
  return withApt(context, async () => {
    await run(apt, ['update'], quiet) // a stale list may still do: only the install decides
    let missing = ''
    for (const names of choices) {
      const install = ['install', '--yes', '--no-install-recommends', ...names]
      const { code, output } = await run(apt, install, quiet)
      if (code === 0) return look(context)
      missing = `apt-get could not install ${names[0]}: ${lastLines(output, 1)}`
    }
    return { missing }
  })
}
