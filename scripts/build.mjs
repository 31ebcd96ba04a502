import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { run } from './lib/commands.mjs'
import { withLock } from './lib/lock.mjs'
import { DATA_DIR, packageBin, ROOT } from './lib/paths.mjs'
import { runSupervised } from './lib/supervisor.mjs'

const DIST = path.join(ROOT, 'dist')
const BUNDLE = path.join(DIST, 'workflow-bundle.js')
const STAMP = path.join(DIST, '.build-stamp')
const LOCK = path.join(DATA_DIR, 'build.lock')
/** The console's pages. */
const PAGE = path.join(DIST, 'console', 'index.html')
/** What the api answers at /openapi.json. */
const DESCRIPTION = path.join(DIST, 'openapi.json')
/** What the product consists of; each becomes one file. */
const PROGRAMS = ['server', 'worker', 'cli', 'listen']
/** Steps that run in a process of their own. */
const [BUNDLE_WORKFLOWS, BUNDLE_PROGRAMS, WRITE_OPENAPI] = [
  'bundle-workflows',
  'bundle-programs',
  'write-openapi',
].map((name) => path.join(ROOT, 'scripts', 'lib', `${name}.mjs`))

/**
 * Bundles the programs and the workflows of src/ into dist/, describes the API and builds the console of web/, unless dist/ is
 * already the build of these very sources. Types are checked apart (npm run typecheck). Two builds at the same time wait for
 * each other.
 *
 * @returns {Promise<{ isFresh: boolean }>} isFresh: nothing had to be done
 * @throws {Error} with what the bundler printed
 */
export const build = () =>
  withLock(LOCK, buildAlone, { what: 'The build of another process', timeoutMs: 300_000 })

async function buildAlone() {
  const stamp = await sourceStamp()
  const isSame = (await readFile(STAMP, 'utf8').catch(() => '')) === stamp
  if (isSame && (await exists(BUNDLE)) && (await exists(PAGE))) return { isFresh: true }
  await rm(DIST, { recursive: true, force: true })
  await mkdir(DIST)
  await Promise.all([bundleWorkflows(), bundlePrograms(), describeApi(), buildPages()])
  await writeFile(STAMP, stamp)
  return { isFresh: false }
}

/** In a process of its own: webpack needs a lot of memory, once. */
function bundleWorkflows() {
  return runStep('The workflows could not be bundled', BUNDLE_WORKFLOWS, [
    path.join(ROOT, 'src', 'workflows', 'index.ts'),
    BUNDLE,
  ])
}

function bundlePrograms() {
  const args = [path.join(ROOT, 'src'), DIST, ...PROGRAMS]
  return runStep('The programs could not be bundled', BUNDLE_PROGRAMS, args)
}

function describeApi() {
  return runStep('The description of the API could not be written', WRITE_OPENAPI, [DESCRIPTION])
}

/** @param {string} failure @param {string} script @param {string[]} args */
async function runStep(failure, script, args) {
  const { code, output } = await run(process.execPath, [script, ...args], { cwd: ROOT })
  if (code !== 0) throw new Error(`${failure}:\n${output}`)
}

/** Vite's build of web/. */
async function buildPages() {
  const { code, output } = await run(packageBin('vite'), ['build', 'web', '--logLevel', 'warn'], {
    cwd: ROOT,
  })
  if (code !== 0) throw new Error(`The console could not be built:\n${output}`)
}

/** @returns {Promise<string>} a hash that changes with every input of the build: names, sizes and change times */
async function sourceStamp() {
  const inputs = ['package-lock.json', 'tsconfig.json', 'scripts/build.mjs']
  inputs.push(...[BUNDLE_WORKFLOWS, BUNDLE_PROGRAMS, WRITE_OPENAPI].map((file) => path.relative(ROOT, file)))
  for (const folder of ['src', 'web']) {
    const files = (await filesUnder(path.join(ROOT, folder))).filter(
      (file) => !file.startsWith('node_modules'),
    )
    inputs.push(...files.map((file) => path.join(folder, file)))
  }
  const hash = createHash('sha256')
  for (const file of inputs.sort()) {
    const { size, mtimeMs } = await stat(path.join(ROOT, file))
    hash.update(`${file} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex')
}

/** @param {string} dir @returns {Promise<string[]>} paths relative to it; none when it does not exist */
async function filesUnder(dir) {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name)))
}

/** @param {string} file @returns {Promise<boolean>} */
const exists = (file) =>
  stat(file).then(
    () => true,
    () => false,
  )

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await runSupervised(async () => {
    const { isFresh } = await build()
    console.log(isFresh ? 'dist/ is up to date' : 'dist/ is built')
    return 0
  })
}
