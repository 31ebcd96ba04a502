import { readdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { withApt } from './apt.mjs'
import { findOnPath, isExecutable, lastLines, run } from './commands.mjs'
import { inFetchFolder } from './fetch-folder.mjs'
import { findFirst } from './find.mjs'
import { cacheDir } from './paths.mjs'

/** @typedef {{ prometheus: string, promtool: string }} Found the programs */
/** @typedef {import('./find.mjs').Way<Found>} PrometheusWay */

/** @param {string} dir @returns {Found} */
const inside = (dir) => ({ prometheus: path.join(dir, 'prometheus'), promtool: path.join(dir, 'promtool') })

/** @type {PrometheusWay} */
async function fromInstalled({ env }) {
  const [prometheus, promtool] = ['prometheus', 'promtool'].map((name) => findOnPath(name, env))
  return prometheus && promtool
    ? { found: { prometheus, promtool } }
    : { missing: 'prometheus and promtool are not on PATH' }
}

/** @param {NodeJS.ProcessEnv} env */
const homeOf = (env) => path.join(cacheDir(env), 'prometheus')

/** @type {PrometheusWay} what an earlier run fetched */
async function fromCache({ env }) {
  const found = inside(path.join(homeOf(env), 'usr', 'bin'))
  return isExecutable(found.promtool) ? { found } : { missing: `there is none in ${homeOf(env)} yet` }
}

/** @type {PrometheusWay} Debian's package, unpacked into the cache: it needs nothing but the C library, and no root */
async function fromDebian(context) {
  const { env, platform, userId, onUpdate } = context
  const missing = ['apt-get', 'dpkg-deb'].find((name) => !findOnPath(name, env))
  if (platform !== 'linux' || missing)
    return { missing: `there is no ${missing ?? 'apt-get'} to fetch Prometheus with` }
  onUpdate('fetching Prometheus from Debian, about 20 MB, once')
  return inFetchFolder(cacheDir(env), async (dir) => {
    // A list of packages that is there may do; without one only root can get it.
    const download = () => run('apt-get', ['download', 'prometheus'], { env, cwd: dir, timeoutMs: 120_000 })
    const { code, output } = await withApt(env, async () => {
      const first = await download()
      if (first.code === 0 || userId !== 0) return first
      await run('apt-get', ['update'], { env, timeoutMs: 120_000 })
      return download()
    })
    const [deb] = (await readdir(dir)).filter((name) => name.endsWith('.deb'))
    if (code !== 0 || deb === undefined)
      return { missing: `apt-get could not download Prometheus (${lastLines(output, 1)})` }
    const unpacked = await run('dpkg-deb', ['-x', path.join(dir, deb), path.join(dir, 'root')], { env })
    if (unpacked.code !== 0)
      return { missing: `its package could not be unpacked (${lastLines(unpacked.output, 1)})` }
    // Another run may have been faster; what it put here is as good.
    await rename(path.join(dir, 'root'), homeOf(env)).catch(() => {})
    return fromCache(context)
  })
}

/**
 * Finds Prometheus and its tool, for the tests of rules and dashboards.
 *
 * @param {import('./find.mjs').Context} context
 * @returns {Promise<Found>}
 * @throws {Error} naming the choices
 */
export const findPrometheus = (context) =>
  findFirst([fromInstalled, fromCache, fromDebian], context, {
    what: 'Prometheus',
    choices: [
      'install Prometheus so that prometheus and promtool are on PATH (macOS: brew install prometheus)',
      'run on Debian or Ubuntu with network: its package is then fetched into ~/.cache/sales-data-webhooks, once',
    ],
  })
