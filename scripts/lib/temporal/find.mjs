import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { findOnPath, isExecutable, lastLines, run } from '../commands.mjs'
import { findFirst } from '../find.mjs'
import { cacheBinDir, ROOT } from '../paths.mjs'
import { isAtLeast } from '../versions.mjs'

/**
 * @typedef {{ kind: 'address', address: string } | { kind: 'executable', executable: string, version: string }} FoundTemporal
 * @typedef {import('../find.mjs').Way<FoundTemporal>} TemporalWay
 */

/** The workflows rely on what servers do since this version (eager starts, activity time-outs on retries). */
const LEAST_SERVER = '1.29'

/** The newest tag that `go install …@version` builds: later ones carry a replace line, which it refuses. */
const CLI_TAG = 'v1.5.1'

/** @type {TemporalWay} a server that is already there */
export async function fromAddress({ env }) {
  const address = env.TEMPORAL_ADDRESS
  return address ? { found: { kind: 'address', address } } : { missing: 'TEMPORAL_ADDRESS is not set' }
}

/** @type {TemporalWay} the `temporal` command on PATH, when the server inside is new enough */
export async function fromPath({ env }) {
  const executable = findOnPath('temporal', env)
  return executable === undefined ? { missing: 'there is no temporal on PATH' } : inspect(executable, env)
}

/** @type {TemporalWay} one that an earlier run downloaded or built */
export async function fromCache({ env }) {
  const executable = path.join(cacheBinDir(env), 'temporal')
  return isExecutable(executable)
    ? inspect(executable, env)
    : { missing: `there is none at ${executable} yet` }
}

/** @type {TemporalWay} the SDK's own download, kept in the cache; works once packages are installed */
export async function fromSdkDownload(context) {
  const { env, nodePath, onUpdate } = context
  onUpdate('downloading the Temporal command line')
  return intoCache(context, async (dir) => {
    const script = path.join(ROOT, 'scripts', 'lib', 'temporal', 'download.mjs')
    const { code, output } = await run(nodePath, [script, dir, CLI_TAG], { env, timeoutMs: 180_000 })
    return code === 0 ? undefined : `the SDK could not download it (${lastLines(output, 1)})`
  })
}

/** @type {TemporalWay} built from source by Go, kept in the cache; takes about 3 minutes on 2 cores, once */
export async function fromGo(context) {
  const { env, onUpdate } = context
  const go = findOnPath('go', env, ['/usr/local/go/bin'])
  if (go === undefined) return { missing: 'there is no go to build it with' }
  let packages = 0
  const onLine = () =>
    onUpdate(`building Temporal with go, about 3 minutes, once: ${++packages} packages compiled`)
  return intoCache(context, async (dir) => {
    const args = ['install', '-v', `github.com/temporalio/cli/cmd/temporal@${CLI_TAG}`]
    const { code, output } = await run(go, args, { env: { ...env, GOBIN: dir }, onLine })
    return code === 0 ? undefined : `go could not build it (${lastLines(output, 3)})`
  })
}

/**
 * Lets `fetch` put an executable into an empty folder, then moves it into the cache in one step. So neither a run that was
 * cut short nor a second one at the same time leaves a broken file there.
 *
 * @param {import('../find.mjs').Context} context
 * @param {(dir: string) => Promise<string | undefined>} fetch answers why it failed
 * @returns {ReturnType<TemporalWay>}
 */
async function intoCache({ env }, fetch) {
  const bin = cacheBinDir(env)
  await mkdir(bin, { recursive: true })
  const dir = await mkdtemp(path.join(bin, '.fetch-'))
  try {
    const failure = await fetch(dir)
    if (failure !== undefined) return { missing: failure }
    const name = (await readdir(dir)).find((file) => isExecutable(path.join(dir, file)))
    if (name === undefined) return { missing: 'nothing executable was fetched' }
    await rename(path.join(dir, name), path.join(bin, 'temporal'))
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
  return inspect(path.join(bin, 'temporal'), env)
}

/**
 * @param {string} executable
 * @param {NodeJS.ProcessEnv} env
 * @returns {ReturnType<TemporalWay>}
 */
async function inspect(executable, env) {
  const { output } = await run(executable, ['--version'], { env, timeoutMs: 20_000 })
  const version = /Server (\d+(?:\.\d+)+)/.exec(output)?.[1]
  if (version === undefined) return { missing: `${executable} does not tell its server version` }
  if (!isAtLeast(version, LEAST_SERVER)) {
    return {
      missing: `${executable} has server ${version}, too old: ${LEAST_SERVER} is the oldest that works`,
    }
  }
  return { found: { kind: 'executable', executable, version } }
}

/**
 * Finds a Temporal server to use or to launch.
 *
 * @param {import('../find.mjs').Context} context
 * @returns {Promise<FoundTemporal>}
 * @throws {Error} naming the choices
 */
export const findTemporal = (context) =>
  findFirst([fromAddress, fromPath, fromCache, fromSdkDownload, fromGo], context, {
    what: 'Temporal server',
    choices: [
      `set TEMPORAL_ADDRESS=host:7233 (server >= ${LEAST_SERVER})`,
      'install the Temporal command line so that temporal is on PATH (https://docs.temporal.io/cli#install)',
      'install Go >= 1.25; it is then built once into ~/.cache/sales-data-webhooks',
    ],
  })
