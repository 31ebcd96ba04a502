// Lays out what the image holds, from a checkout with its packages and its build: node scripts/image-tree.mjs <empty folder>.
// The Dockerfile calls it, and so does the test that runs the result without an engine.
import { cp, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './lib/paths.mjs'

const OWN = [
  'package.json',
  'dist',
  'scripts/healthcheck.mjs',
  'scripts/with-settings.mjs',
  'scripts/lib/file-settings.mjs',
]

/** Temporal ships its native part for every platform. */
const BRIDGE = 'node_modules/@temporalio/core-bridge'
const PROCESSORS = { x64: 'x86_64', arm64: 'aarch64' }
const SYSTEMS = { linux: 'unknown-linux-gnu', darwin: 'apple-darwin' }

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
  await Promise.all(wanted.map((place) => copyPackage(place, dir, packages[place].optional === true)))
  for (const name of OWN) await cp(path.join(ROOT, name), path.join(dir, name), { recursive: true })
  const kept = `${PROCESSORS[process.arch]}-${SYSTEMS[process.platform]}`
  const releases = path.join(dir, BRIDGE, 'releases')
  const others = (await readdir(releases)).filter((name) => name !== kept)
  await Promise.all(others.map((name) => rm(path.join(releases, name), { recursive: true })))
}

/** Without the packages that lie within it: each is one of its own. An optional one may be for other platforms. */
async function copyPackage(
  /** @type {string} */ place,
  /** @type {string} */ dir,
  /** @type {boolean} */ isOptional,
) {
  const from = path.join(ROOT, place)
  const inner = path.join(from, 'node_modules')
  await mkdir(path.dirname(path.join(dir, place)), { recursive: true })
  await cp(from, path.join(dir, place), { recursive: true, filter: (file) => file !== inner }).catch(
    (error) => {
      if (!(isOptional && error.code === 'ENOENT')) throw error
    },
  )
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [dir] = process.argv.slice(2)
  if (dir === undefined) throw new Error('Name an empty folder: node scripts/image-tree.mjs <folder>')
  await layOutImage(path.resolve(dir))
}
