// Lays out what the image holds, from a checkout with its packages and its build: node scripts/image-tree.mjs <empty folder>.
// The Dockerfile calls it, and so does the test that runs the result without an engine.
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './lib/paths.mjs'

const SCRIPTS = ['healthcheck.mjs', 'with-settings.mjs', 'lib/file-settings.mjs']
const OWN = ['package.json', 'dist', ...SCRIPTS.map((name) => `scripts/${name}`)]

const PROCESSORS = { x64: 'x86_64', arm64: 'aarch64' }
const SYSTEMS = { linux: 'unknown-linux-gnu', darwin: 'apple-darwin' }
/** Temporal ships its native part for every platform. */
const RELEASES = path.join(ROOT, 'node_modules/@temporalio/core-bridge/releases')
const OUR_RELEASE = path.join(RELEASES, `${PROCESSORS[process.arch]}-${SYSTEMS[process.platform]}`)

/**
 * @param {string} dir gets the build, the packages of production, and this platform's native parts alone
 * @returns {Promise<void>}
 * @throws {Error} when the packages or the build are missing
 */
export async function layOutImage(dir) {
  const { packages } = JSON.parse(await readFile(path.join(ROOT, 'package-lock.json'), 'utf8'))
  const wanted = Object.keys(packages).filter((place) => {
    const { dev, link } = packages[place]
    return place.startsWith('node_modules/') && dev !== true && link !== true
  })
  // In the order of the lock: a package comes before those within it.
  for (const place of wanted) copyPackage(place, dir, packages[place].optional === true)
  for (const name of OWN) cpSync(path.join(ROOT, name), path.join(dir, name), { recursive: true })
}

/** Copies a package without the packages inside it, which are copied by themselves. An optional one may be for other platforms. */
function copyPackage(place, dir, isOptional) {
  const from = path.join(ROOT, place)
  if (isOptional && !existsSync(from)) return
  const inner = path.join(from, 'node_modules')
  const filter = (file) => file !== inner && (path.dirname(file) !== RELEASES || file === OUR_RELEASE)
  mkdirSync(path.dirname(path.join(dir, place)), { recursive: true })
  cpSync(from, path.join(dir, place), { recursive: true, filter })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [dir] = process.argv.slice(2)
  if (dir === undefined) throw new Error('Name an empty folder: node scripts/image-tree.mjs <folder>')
  await layOutImage(path.resolve(dir))
}
