import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { run } from '../commands.ts'
import { fetchOnce, moveToPlace } from '../fetch.ts'
import { findFirst, findOnPath, isAtLeast, isExecutable, type Answer, type Context } from '../find.ts'
import { cacheDir, ROOT } from '../paths.mjs'

/** cli: the command line with its development server; server: the bare one, which launch.ts configures. */
export type FoundTemporal =
  | { kind: 'address'; address: string }
  | { kind: 'cli' | 'server'; executable: string; version: string }

type TemporalAnswer = Promise<Answer<FoundTemporal>>

/** The workflows rely on what servers do since this version (eager starts, activity time-outs on retries). */
const LEAST_SERVER = '1.29'

/** The newest tag that `go install …@version` builds: it refuses the replace lines of later ones. The server of this tag is 1.29.1. */
const CLI_TAG = 'v1.5.1'

/** The server of today, for configuration B of the tests. `go install` still builds the bare server. */
const SERVER_VERSION = '1.32.1'

/** A server that is already there. */
export function fromAddress({ env }: Context): Answer<FoundTemporal> {
  const address = env['TEMPORAL_ADDRESS']
  return address ? { found: { kind: 'address', address } } : { missing: 'TEMPORAL_ADDRESS is not set' }
}

/** The `temporal` command on PATH, when the server inside is new enough. */
export async function fromPath({ env }: Context, least = LEAST_SERVER): TemporalAnswer {
  const executable = findOnPath('temporal', env)
  if (executable === undefined) return { missing: 'there is no temporal on PATH' }
  return inspect(executable, env, least)
}

/** A program that is kept in the cache. `least`: the oldest server that it may have. `minutes`: how long Go builds it on 2 cores. */
type Kept = typeof CLI
const CLI = {
  name: 'temporal',
  least: LEAST_SERVER,
  module: `github.com/temporalio/cli/cmd/temporal@${CLI_TAG}`,
  minutes: 3,
}
const SERVER: Kept = {
  name: `temporal-server-${SERVER_VERSION}`,
  least: SERVER_VERSION,
  module: `go.temporal.io/server/cmd/server@v${SERVER_VERSION}`,
  minutes: 4,
}

const placeOf = ({ name }: Kept, env: NodeJS.ProcessEnv) => path.join(cacheDir(env), 'bin', name)

const inCache =
  (kept: Kept) =>
  async ({ env }: Context): TemporalAnswer => {
    const executable = placeOf(kept, env)
    if (isExecutable(executable)) return inspect(executable, env, kept.least)
    return { missing: `there is none at ${executable} yet` }
  }

/** One that an earlier run downloaded or built. */
export const fromCache = inCache(CLI)

/** The SDK's own download, kept in the cache; works once packages are installed. */
export const fromSdkDownload = (context: Context): TemporalAnswer =>
  bring(context, CLI, async (dir) => {
    const { env, nodePath, onUpdate } = context
    onUpdate('downloading the Temporal command line')
    const script = path.join(ROOT, 'scripts', 'lib', 'temporal', 'download.mjs')
    const options = { env, timeoutMs: 180_000, fault: 'the SDK could not download it' }
    await run(nodePath, [script, dir, CLI_TAG], options)
  })

/** The command line, built from source by Go, once. */
export const fromGo = (context: Context): TemporalAnswer => build(context, CLI)

/** The bare server of today, likewise. */
export const fromServerGo = (context: Context): TemporalAnswer => build(context, SERVER)

/** Builds a program into the cache. It gives way to everything else on the machine, such as tests that run meanwhile. */
async function build(context: Context, kept: Kept): TemporalAnswer {
  const { env, onUpdate } = context
  const go = findOnPath('go', env, ['/usr/local/go/bin'])
  if (go === undefined) return { missing: 'there is no go to build it with' }
  const nice = findOnPath('nice', env)
  const [command, ...before] = nice === undefined ? ([go] as const) : ([nice, '-n', '10', go] as const)
  let packages = 0
  const what = `building Temporal with go, about ${kept.minutes} minutes, once`
  const onLine = () => onUpdate(`${what}: ${++packages} packages compiled`)
  return bring(context, kept, async (dir) => {
    const args = [...before, 'install', '-v', kept.module]
    await run(command, args, { env: { ...env, GOBIN: dir }, onLine, fault: 'go could not build it' })
  })
}

/** Keeps the program that `fetch` makes in an empty folder. */
const bring = (context: Context, kept: Kept, fetch: (dir: string) => Promise<void>) =>
  fetchOnce(context, kept.name, inCache(kept), async (dir) => {
    await fetch(dir)
    const made = (await readdir(dir)).find((file) => isExecutable(path.join(dir, file)))
    const place = placeOf(kept, context.env)
    await mkdir(path.dirname(place), { recursive: true })
    await moveToPlace(path.join(dir, made!), place)
  })

/** @param least the oldest server that will do */
async function inspect(executable: string, env: NodeJS.ProcessEnv, least: string): TemporalAnswer {
  const { output } = await run(executable, ['--version'], { env, timeoutMs: 20_000 })
  const inside = /Server (\d+(?:\.\d+)+)/.exec(output)?.[1]
  // The bare server tells its own version alone.
  const version = inside ?? /^temporal version (\d+(?:\.\d+)+)$/m.exec(output)?.[1]
  if (version === undefined) return { missing: `${executable} does not tell its server version` }
  if (!isAtLeast(version, least))
    return { missing: `${executable} has server ${version}, too old: ${least} is the oldest that works` }
  return { found: { kind: inside === undefined ? 'server' : 'cli', executable, version } }
}

/** Finds a Temporal server to use or to launch. */
export const findTemporal = findFirst<FoundTemporal>(
  'Temporal server',
  [fromAddress, fromPath, fromCache, fromSdkDownload, fromGo],
  [
    `set TEMPORAL_ADDRESS=host:7233 (server >= ${LEAST_SERVER})`,
    'install the Temporal command line so that temporal is on PATH (https://docs.temporal.io/cli#install)',
    'install Go >= 1.25; it is then built once into ~/.cache/sales-data-webhooks',
  ],
)

/** Finds the Temporal server of today, for configuration B of the tests. */
export const findTodaysTemporal = findFirst<FoundTemporal>(
  `Temporal server ${SERVER_VERSION}`,
  [fromAddress, (context) => fromPath(context, SERVER_VERSION), inCache(SERVER), fromServerGo],
  [
    'set TEMPORAL_ADDRESS=host:7233',
    `install a Temporal command line with server >= ${SERVER_VERSION} so that temporal is on PATH`,
    'install Go >= 1.26; the server is then built once into ~/.cache/sales-data-webhooks',
  ],
)
