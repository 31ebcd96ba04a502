import { createHash } from 'node:crypto'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { lastLines, run } from '../../scripts/lib/commands.mjs'
import { cacheBinDir, ROOT } from '../../scripts/lib/paths.mjs'
import type { Release } from './former-release.ts'
import { makeOnce } from './make-once.ts'

const CACHE = path.join(path.dirname(cacheBinDir(process.env)), 'releases')

/**
 * Takes a release out of the git history and builds it with its own script and its own packages. Build and packages are kept
 * in the cache, so that only the first run pays for them; its processes run there, so that what they compile is kept too.
 *
 * @returns the folder with its dist/, package.json and node_modules, which nobody may change
 * @throws Error with what git, npm or the build printed
 */
export async function buildRelease(release: Release): Promise<string> {
  const lock = await command('git', ['show', `${release.tree}:package-lock.json`])
  const modules = await packagesOf(release, lock)
  const built = path.join(CACHE, `${release.tree}-build`)
  await makeOnce(built, (draft) => build(release, draft, modules))
  await makeOnce(path.join(built, 'node_modules'), (draft) => symlink(modules, draft))
  return built
}

async function build({ tree }: Release, dir: string, modules: string): Promise<void> {
  await mkdir(dir)
  const archive = path.join(dir, 'source.tar')
  await command('git', ['archive', '--format=tar', `--output=${archive}`, tree])
  await command('tar', ['-xf', archive, '-C', dir])
  await rm(archive)
  await symlink(modules, path.join(dir, 'node_modules'))
  await command('npm', ['run', 'build'], dir)
  await rm(path.join(dir, 'node_modules'))
}

/** The node_modules that a release's lock file asks for. */
async function packagesOf({ tree }: Release, lock: string): Promise<string> {
  const hash = createHash('sha256').update(lock).digest('hex').slice(0, 16)
  const installed = path.join(CACHE, `packages-${hash}`)
  await makeOnce(installed, async (dir) => {
    await mkdir(dir)
    for (const file of ['package.json', '.npmrc'])
      await writeFile(path.join(dir, file), `${await command('git', ['show', `${tree}:${file}`])}\n`)
    await writeFile(path.join(dir, 'package-lock.json'), lock)
    await command('npm', ['ci', '--no-progress'], dir)
  })
  return path.join(installed, 'node_modules')
}

/** What a command printed. @throws Error with the end of it when the command failed */
async function command(name: string, args: readonly string[], cwd = ROOT): Promise<string> {
  const { code, output } = await run(name, args, { cwd })
  if (code !== 0) throw new Error(`${name} ${args.slice(0, 2).join(' ')} failed:\n${lastLines(output)}`)
  return output
}
