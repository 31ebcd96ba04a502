import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { run } from '../lib/commands.mjs'
import { cacheDir } from '../lib/paths.mjs'

/**
 * Installs what package.json beside this file lists, once for each such list, into a folder of its own in the cache of
 * this user.
 *
 * @returns {Promise<string>} the folder with the packages
 * @throws {Error} with npm's output
 */
export async function installStryker() {
  const list = readFileSync(new URL('package.json', import.meta.url), 'utf8')
  const hash = createHash('sha256').update(list).digest('hex').slice(0, 12)
  const kept = path.join(cacheDir(process.env), `mutants-${hash}`)
  const packages = path.join(kept, 'node_modules')
  if (existsSync(packages)) return packages
  const names = Object.entries(JSON.parse(list).dependencies).map(([name, version]) => `${name} ${version}`)
  console.log(`Installing ${names.join(', ')} into ${kept} (75 MB, once).`)
  mkdirSync(path.dirname(kept), { recursive: true })
  const dir = mkdtempSync(path.join(path.dirname(kept), '.mutants-'))
  try {
    writeFileSync(path.join(dir, 'package.json'), list)
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-progress']
    const { code, output } = await run('npm', args, { cwd: dir })
    if (code !== 0) throw new Error(`npm could not install them:\n${output}`)
    // Of two that install at the same time, the first one wins.
    if (!existsSync(packages)) renameSync(dir, kept)
    return packages
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
