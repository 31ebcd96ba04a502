import { mkdir, readdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { isExecutable } from '../commands.mjs'
import { inFetchFolder } from '../fetch-folder.mjs'
import { withLock } from '../lock.mjs'
import { cacheBinDir } from '../paths.mjs'

/** How often a run looks whether another one has fetched the program. */
const LOOK_MS = 500

/** @typedef {import('./find.mjs').TemporalWay} TemporalWay */

/**
 * Looks for a program in the cache.
 *
 * @param {NodeJS.ProcessEnv} env
 * @param {string} name of the file
 * @param {(executable: string) => ReturnType<TemporalWay>} inspect
 * @returns {ReturnType<TemporalWay>}
 */
export async function inCache(env, name, inspect) {
  const executable = path.join(cacheBinDir(env), name)
  return isExecutable(executable) ? inspect(executable) : { missing: `there is none at ${executable} yet` }
}

/**
 * Lets `fetch` put an executable into an empty folder, then moves it into the cache in one step, so a run that was cut short
 * leaves no broken file. Of several runs one fetches; the others wait for it and take the same file. The next one fetches
 * if that run failed or was killed.
 *
 * @param {import('../find.mjs').Context} context
 * @param {string} name of the file in the cache
 * @param {{ look: TemporalWay, fetch: (dir: string) => Promise<string | undefined> }} how look: whether the cache has it;
 *   fetch: answers why it failed
 * @returns {ReturnType<TemporalWay>}
 */
export async function fetchOnce(context, name, { look, fetch }) {
  const bin = cacheBinDir(context.env)
  await mkdir(bin, { recursive: true })
  const onWait = () => context.onUpdate('waiting for the build or download that is under way')
  async function fetchAlone() {
    const there = await look(context)
    if ('found' in there) return there
    return inFetchFolder(bin, async (dir) => {
      const failure = await fetch(dir)
      if (failure !== undefined) return { missing: failure }
      const fetched = (await readdir(dir)).find((file) => isExecutable(path.join(dir, file)))
      if (fetched === undefined) return { missing: 'nothing executable was fetched' }
      await rename(path.join(dir, fetched), path.join(bin, name))
      return look(context)
    })
  }
  return withLock(path.join(bin, `.${name}.lock`), fetchAlone, { intervalMs: LOOK_MS, onWait })
}
