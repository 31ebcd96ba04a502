import { createHash } from 'node:crypto'
import { existsSync, globSync, statSync } from 'node:fs'
import { mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { lastLines, run } from './lib/commands.ts'
import { withLock } from './lib/lock.ts'
import { DATA_DIR, packageBin, ROOT } from './lib/paths.mjs'
import { runSupervised } from './lib/supervisor.ts'

const DIST = path.join(ROOT, 'dist')
const STAMP = path.join(DIST, '.build-stamp')
/** All run at the same time, each in a process of its own: its end frees the memory that webpack or the routes of the API took. */
const STEPS = [
  { makes: 'The workflows', program: process.execPath, args: ['scripts/lib/bundle-workflows.mjs'] },
  { makes: 'The programs', program: process.execPath, args: ['scripts/lib/bundle-programs.mjs'] },
  { makes: 'The API’s description', program: process.execPath, args: ['scripts/lib/write-openapi.mjs'] },
  { makes: 'The console', program: packageBin('vite'), args: ['build', 'web', '--logLevel', 'warn'] },
]
/** Some files that only a whole build has. */
const RESULTS = ['workflow-bundle.js', 'console/index.html'].map((name) => path.join(DIST, name))
/** npm writes this file at the end of an install. */
const INSTALLED = path.join(ROOT, 'node_modules', '.package-lock.json')

/**
 * Installs exactly what package-lock.json says, where node_modules is missing or older than that file.
 *
 * @param {import('./lib/progress.ts').Progress} progress
 * @throws {Error} with the end of npm's output
 */
export async function ensurePackages({ step }) {
  const installedAt = await stat(INSTALLED).catch(() => undefined)
  const { mtimeMs } = await stat(path.join(ROOT, 'package-lock.json'))
  if (installedAt === undefined || mtimeMs > installedAt.mtimeMs)
    await step('Install packages (npm ci)', installPackages)
}

async function installPackages() {
  const { code, output } = await run('npm', ['ci', '--no-progress'], { cwd: ROOT })
  if (code !== 0) throw new Error(`npm ci failed (is the package registry reachable?):\n${lastLines(output)}`)
  const now = new Date()
  await utimes(INSTALLED, now, now) // npm may keep an older time, and the next start would install again
}

/**
 * Bundles the programs and the workflows of src/ into dist/, describes the API and builds the console of web/, unless dist/ is
 * already the build of these very sources. It checks no types (npm run typecheck). One build runs at a time; others wait for it.
 *
 * @returns {Promise<{ isFresh: boolean }>} isFresh: nothing had to be done
 * @throws {Error} with what the bundler printed
 */
export const build = () =>
  withLock(path.join(DATA_DIR, 'build.lock'), buildAlone, {
    what: 'The build of another process',
    timeoutMs: 300_000,
  })

async function buildAlone() {
  const stamp = sourceStamp()
  const isSame = (await readFile(STAMP, 'utf8').catch(() => '')) === stamp
  if (isSame && RESULTS.every(existsSync)) return { isFresh: true }
  await rm(DIST, { recursive: true, force: true })
  await mkdir(DIST)
  await Promise.all(
    STEPS.map(async ({ makes, program, args }) => {
      const { code, output } = await run(program, args, { cwd: ROOT })
      if (code !== 0) throw new Error(`${makes} could not be built:\n${output}`)
    }),
  )
  await writeFile(STAMP, stamp)
  return { isFresh: false }
}

/** A hash that changes with every input of the build: names, sizes and change times. */
function sourceStamp() {
  const own = ['package-lock.json', 'tsconfig.json', 'scripts/build.mjs', 'scripts/lib/{bundle,write}-*.mjs']
  const inputs = globSync([...own, 'src/**', 'web/**'], { cwd: ROOT, exclude: ['web/node_modules/**'] })
  const hash = createHash('sha256')
  for (const file of inputs.sort()) {
    const entry = statSync(path.join(ROOT, file))
    if (entry.isFile()) hash.update(`${file} ${entry.size} ${entry.mtimeMs}\n`)
  }
  return hash.digest('hex')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await runSupervised(async () => {
    const { isFresh } = await build()
    console.log(isFresh ? 'dist/ is up to date' : 'dist/ is built')
    return 0
  })
}
