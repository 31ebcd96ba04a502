import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { findOnPath, isExecutable, lastLines, run } from '../commands.mjs'
import { inFetchFolder } from '../fetch-folder.mjs'
import { cacheDir } from '../paths.mjs'
import { parseDatabaseVersion } from './version.mjs'

/** The keys that sign Debian's releases; every Debian has this file. */
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
/** Only Debian's unstable release has MySQL; its stable ones have MariaDB under MySQL's names. */
const SOURCE = `deb [signed-by=${KEYRING} target=Packages] http://deb.debian.org/debian sid main`
/** Packages that the server's tools need and the server does not: half of the download. */
const NOT_NEEDED = /^(perl|libperl|libdb5|libgdbm|libcrypt1|libc-gconv)/
const TIMEOUT_MS = 300_000
const CACHED = /^mysql-\d/

/** @type {import('./find.mjs').DatabaseWay} a MySQL that an earlier run fetched, the newest one */
export async function fromMysqlCache({ env }) {
  const dir = cacheDir(env)
  const names = (await readdir(dir).catch(() => [])).filter((name) => CACHED.test(name)).sort()
  const executable = path.join(dir, names.at(-1) ?? '', 'mysqld')
  if (names.length === 0 || !isExecutable(executable)) return { missing: `there is none in ${dir} yet` }
  return inspect(executable, env)
}

/**
 * Unpacks Debian's own packages of MySQL, with every library that they need, into the cache. It installs nothing and
 * needs no root. apt works in a directory of its own, so that the system's package lists stay as they are.
 *
 * @type {import('./find.mjs').DatabaseWay}
 */
export async function fromDebian({ env, platform, onUpdate }) {
  const missing = ['apt-get', 'apt-cache', 'dpkg-deb'].find((name) => !findOnPath(name, env))
  if (platform !== 'linux' || missing)
    return { missing: `there is no ${missing ?? 'apt-get'} to fetch MySQL with` }
  if (!existsSync(KEYRING))
    return { missing: `this is no Debian: ${KEYRING} is missing, so nothing from there can be verified` }
  onUpdate('fetching MySQL from Debian, about 60 MB, once')
  const cache = cacheDir(env)
  return inFetchFolder(cache, async (dir) => {
    const fresh = path.join(dir, 'mysql')
    const failure = (await download(dir, env)) ?? (await unpack(dir, fresh, env))
    if (failure !== undefined) return { missing: failure }
    const answer = await inspect(path.join(fresh, 'mysqld'), env)
    if ('missing' in answer) return answer
    const home = path.join(cache, `mysql-${answer.found.version}`)
    // Another run may have been faster; the server that it put here is as good.
    await rename(fresh, home).catch((error) => {
      if (!existsSync(home)) throw error
    })
    return inspect(path.join(home, 'mysqld'), env)
  })
}

/**
 * Downloads the server and what it depends on into `dir`/debs.
 *
 * @param {string} dir
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>} why it failed
 */
async function download(dir, env) {
  const debs = path.join(dir, 'debs')
  for (const folder of ['debs', 'state/lists/partial', 'cache/archives/partial']) {
    await mkdir(path.join(dir, folder), { recursive: true })
  }
  const config = path.join(dir, 'apt.conf')
  await writeFile(path.join(dir, 'sources.list'), `${SOURCE}\n`)
  await writeFile(path.join(dir, 'status'), '')
  await writeFile(config, aptConfig(dir))
  const apt = (/** @type {string} */ command, /** @type {string[]} */ ...args) =>
    run(command, ['-c', config, ...args], { env, cwd: debs, timeoutMs: TIMEOUT_MS })
  const update = await apt('apt-get', 'update')
  const kinds = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances', 'pre-depends']
  const without = kinds.map((kind) => `--no-${kind}`)
  const list = await apt('apt-cache', 'depends', '--recurse', ...without, 'mysql-server-core')
  const packages = [...new Set(list.output.match(/^\w\S*/gm) ?? [])].filter((name) => !NOT_NEEDED.test(name))
  if (list.code !== 0 || !packages.includes('mysql-server-core')) {
    return `Debian's list of packages could not be had (${lastLines(update.output, 1)})`
  }
  const { code, output } = await apt('apt-get', 'download', ...packages)
  return code === 0 ? undefined : `apt-get could not download MySQL (${lastLines(output, 1)})`
}

/**
 * Gives apt its own directories and none of the system's hooks, so that it changes nothing in the system.
 *
 * @param {string} dir
 * @returns {string}
 */
const aptConfig = (dir) => `
Dir::Etc::sourcelist "${dir}/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::State "${dir}/state";
Dir::State::status "${dir}/status";
Dir::Cache "${dir}/cache";
APT::Sandbox::User "root";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "20";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
`

/**
 * Unpacks the download. Its `mysqld` script runs the server on the libraries beside it: the system's may be older.
 *
 * @param {string} dir
 * @param {string} home
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string | undefined>} why it failed
 */
async function unpack(dir, home, env) {
  const root = path.join(home, 'root')
  await mkdir(root, { recursive: true })
  for (const file of await readdir(path.join(dir, 'debs'))) {
    const { code, output } = await run('dpkg-deb', ['-x', path.join(dir, 'debs', file), root], { env })
    if (code !== 0) return `${file} could not be unpacked (${lastLines(output, 1)})`
  }
  const libraries = (await readdir(path.join(root, 'usr', 'lib'))).find((name) => name.endsWith('-linux-gnu'))
  const inLibraries = libraries ? await readdir(path.join(root, 'usr', 'lib', libraries)) : []
  const loader = inLibraries.find((name) => /^ld-linux-.*\.so\.\d+$/.test(name))
  if (!loader) return 'what Debian offers has no loader for this kind of machine'
  await writeFile(path.join(home, 'mysqld'), startScript(`usr/lib/${libraries}`, loader), { mode: 0o755 })
  return undefined
}

/** @param {string} libraries @param {string} loader @returns {string} a shell script; it may be moved with its folder */
const startScript = (libraries, loader) => `#!/bin/sh
root="$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)/root"
exec "$root/${libraries}/${loader}" --library-path "$root/${libraries}" "$root/usr/sbin/mysqld" "$@" \\
  --basedir="$root/usr" --lc-messages-dir="$root/usr/share/mysql" --plugin-dir="$root/usr/lib/mysql/plugin"
`

/** @param {string} executable @param {NodeJS.ProcessEnv} env @returns {ReturnType<import('./find.mjs').DatabaseWay>} */
async function inspect(executable, env) {
  const { output } = await run(executable, ['--no-defaults', '--version'], { env, timeoutMs: 20_000 })
  const server = parseDatabaseVersion(output)
  if (server?.kind !== 'mysql' || !server.isSupported)
    return { missing: `${executable} does not run (${lastLines(output, 1)})` }
  return { found: { kind: 'mysql', executable, version: server.version } }
}
