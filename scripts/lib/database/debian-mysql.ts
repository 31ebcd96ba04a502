import { existsSync, globSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { lastLines, run } from '../commands.ts'
import { fetchOnce, moveToPlace, needDebianTools, unpackDebian } from '../fetch.ts'
import type { Answer, Context } from '../find.ts'
import { cacheDir } from '../paths.mjs'
import { inspectServer, type FoundDatabase } from './find.ts'

/** The keys that sign Debian's releases; every Debian has this file. */
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
/** Only Debian's unstable release has MySQL; its stable ones have MariaDB under MySQL's names. */
const SOURCE = `deb [signed-by=${KEYRING} target=Packages] http://deb.debian.org/debian sid main`
/** Packages that the server's tools need and the server does not: half of the download. */
const NOT_NEEDED = /^(perl|libperl|libdb5|libgdbm|libcrypt1|libc-gconv)/

/** A MySQL that an earlier run fetched, the newest one. */
export async function fromMysqlCache({ env }: Context): Promise<Answer<FoundDatabase>> {
  const dir = cacheDir(env)
  const newest = globSync('mysql-[0-9]*/mysqld', { cwd: dir }).sort().at(-1)
  return newest === undefined
    ? { missing: `there is none in ${dir} yet` }
    : inspectServer(path.join(dir, newest), env, ['mysql'])
}

/**
 * Unpacks Debian's own packages of MySQL, with every library that they need, into the cache. It installs nothing and
 * needs no root. apt works in a directory of its own, so that the system's package lists stay as they are.
 */
export function fromDebian(context: Context): Promise<Answer<FoundDatabase>> {
  return fetchOnce(context, 'mysql', fromMysqlCache, async (dir) => {
    const { env, onUpdate } = context
    needDebianTools(context, 'MySQL')
    if (!existsSync(KEYRING))
      throw new Error(`this is no Debian: ${KEYRING} is missing, so nothing from there can be verified`)
    onUpdate('fetching MySQL from Debian, about 60 MB, once')
    const fresh = path.join(dir, 'mysql')
    const debs = path.join(dir, 'debs')
    const root = path.join(fresh, 'root')
    await mkdir(root, { recursive: true })
    await download(dir, debs, env)
    await unpackDebian(debs, root, env)
    await addScript(fresh, root)
    const answer = await inspectServer(path.join(fresh, 'mysqld'), env, ['mysql'])
    if ('missing' in answer) throw new Error(answer.missing)
    await moveToPlace(fresh, path.join(cacheDir(env), `mysql-${answer.found.version}`))
  })
}

/** Downloads the server and what it depends on into `debs`. */
async function download(dir: string, debs: string, env: NodeJS.ProcessEnv): Promise<void> {
  for (const folder of ['debs', 'state/lists/partial', 'cache/archives/partial'])
    await mkdir(path.join(dir, folder), { recursive: true })
  const config = path.join(dir, 'apt.conf')
  await writeFile(path.join(dir, 'sources.list'), `${SOURCE}\n`)
  await writeFile(path.join(dir, 'status'), '')
  await writeFile(config, aptConfig(dir))
  const options = { env, cwd: debs, timeoutMs: 300_000 }
  const update = await run('apt-get', ['-c', config, 'update'], options)
  const kinds = ['recommends', 'suggests', 'conflicts', 'breaks', 'replaces', 'enhances', 'pre-depends']
  const without = kinds.map((kind) => `--no-${kind}`)
  const depends = ['-c', config, 'depends', '--recurse', ...without, 'mysql-server-core']
  const list = await run('apt-cache', depends, options)
  const packages = [...new Set(list.output.match(/^\w\S*/gm))].filter((name) => !NOT_NEEDED.test(name))
  if (list.code !== 0 || !packages.includes('mysql-server-core'))
    throw new Error(`Debian's list of packages could not be had (${lastLines(update.output, 1)})`)
  const fault = 'apt-get could not download MySQL'
  await run('apt-get', ['-c', config, 'download', ...packages], { ...options, fault })
}

/** Gives apt its own directories and none of the system's hooks, so that it changes nothing in the system. */
const aptConfig = (dir: string) => `
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

/** Adds a shell script `mysqld` that runs the server on the libraries beside it: the system's may be older. It may be moved. */
async function addScript(home: string, root: string): Promise<void> {
  const [loader] = globSync('usr/lib/*-linux-gnu/ld-linux-*.so.[0-9]', { cwd: root })
  if (!loader) throw new Error('what Debian offers has no loader for this kind of machine')
  const script = `#!/bin/sh
root="$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)/root"
exec "$root/${loader}" --library-path "$root/${path.dirname(loader)}" "$root/usr/sbin/mysqld" "$@" \\
  --basedir="$root/usr" --lc-messages-dir="$root/usr/share/mysql" --plugin-dir="$root/usr/lib/mysql/plugin"
`
  await writeFile(path.join(home, 'mysqld'), script, { mode: 0o755 })
}
