import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { run } from '../../scripts/lib/commands.ts'
import { fromDebian, fromMysqlCache } from '../../scripts/lib/database/debian-mysql.ts'
import * as database from '../../scripts/lib/database/find.ts'
import { createContext } from '../../scripts/lib/find.ts'
import { ROOT } from '../../scripts/lib/paths.mjs'
import * as temporal from '../../scripts/lib/temporal/find.ts'
import * as tools from '../../scripts/lib/test-tools.ts'
import { listenOnLoopback } from '../support/loopback.ts'
import { useTemporaryDirectory, writeProgram } from './support.ts'

type Context = ReturnType<typeof createContext>
type Answer = { readonly missing: string } | { readonly found: unknown }
/** A way to find a server or a program, the programs on PATH, and the expected message. */
type Case<Expected> = readonly [
  way: (context: Context) => Answer | Promise<Answer>,
  programs: Readonly<Record<string, string>>,
  expected: Expected,
  userId?: number,
]

const MARIADB = 'mysqld  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)'
const MYSQL = '/usr/sbin/mysqld  Ver 8.4.3 for Linux on x86_64 (MySQL Community Server - GPL)'
const OLD_MARIADB = 'mariadbd  Ver 10.5.29-MariaDB for Linux on x86_64'
const TEMPORAL = 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)'
const FOUND_TEMPORAL = { kind: 'cli', version: '1.29.1' }

/** Shell scripts: one prints a line, one fails with a line, and one makes the temporal of our version. */
const printing = (line: string) => `#!/bin/sh\necho '${line}'\n`
const failing = (line: string) => `${printing(line)}exit 1\n`
const making = (line: string, target: string) =>
  `#!/bin/sh\nprintf '#!/bin/sh\\necho "${line}"\\n' > "${target}" && /bin/chmod 755 "${target}"\n`

const installed = (context: Context) => database.fromInstalled(context, [])
const realMysql = (context: Context) => database.fromInstalled(context, [], ['mysql'])
const installedBrowser = (context: Context) => tools.browserOnPath(context, [])
const ROOT_USER = 0
const isDebian = existsSync('/usr/share/keyrings/debian-archive-keyring.gpg')
const debian = {
  'apt-get': failing('no address of deb.debian.org'),
  'apt-cache': failing(''),
  'dpkg-deb': '',
}

const MISSING: readonly Case<string>[] = [
  [database.fromUrl, {}, 'DATABASE_URL is not set'],
  [installed, {}, 'neither mariadbd nor mysqld is on PATH'],
  [installed, { mariadbd: printing(OLD_MARIADB) }, 'mariadb 10.5.29, too old: 10.6 is the oldest'],
  [realMysql, { mysqld: printing(MARIADB) }, 'mysqld is mariadb 10.11.19'],
  [database.fromApt, {}, 'there is no apt-get', ROOT_USER],
  [database.fromApt, { 'apt-get': failing('E: no such') }, 'only as root'],
  [
    database.fromApt,
    { 'apt-get': failing('E: no such') },
    'not install mariadb-server-core: E: no',
    ROOT_USER,
  ],
  [database.fromDocker, {}, 'there is no docker'],
  [database.fromDocker, { docker: failing('') }, 'no engine answers'],
  [fromMysqlCache, {}, 'there is none in'],
  [fromDebian, debian, isDebian ? 'no address of deb.debian.org' : 'this is no Debian'],
  [temporal.fromAddress, {}, 'TEMPORAL_ADDRESS is not set'],
  [temporal.fromPath, {}, 'there is no temporal on PATH'],
  [temporal.fromPath, { temporal: printing('version 1.1.0 (Server 1.25.0)') }, 'server 1.25.0, too old'],
  [temporal.fromPath, { temporal: printing('something else') }, 'does not tell its server version'],
  [temporal.fromCache, {}, 'there is none at'],
  [temporal.fromSdkDownload, { node: failing('no route to host') }, 'not download it (no route to host)'],
  [
    temporal.fromGo,
    { go: `${making(TEMPORAL, '$GOBIN/temporal')}echo "out of memory"\nexit 2\n` },
    'out of memory',
  ],
  [installedBrowser, {}, 'chromium'],
  [tools.browserFromApt, { 'apt-get': failing('no such package') }, 'only as root'],
  [tools.browserFromApt, { 'apt-get': failing('no such package') }, 'no such package', ROOT_USER],
]

const FOUND: readonly Case<object>[] = [
  [installed, { mysqld: printing(MYSQL) }, { kind: 'mysql', version: '8.4.3' }],
  [installed, { mysqld: printing(MYSQL), mariadbd: printing(MARIADB) }, { kind: 'mariadb' }],
  [installed, { mysqld: printing(MYSQL), mariadbd: printing(OLD_MARIADB) }, { kind: 'mysql' }],
  [database.fromDocker, { docker: printing('28.2.2') }, { kind: 'docker' }],
  [temporal.fromPath, { temporal: printing(TEMPORAL) }, FOUND_TEMPORAL],
  // Called as: node download.mjs <directory> <version>
  [temporal.fromSdkDownload, { node: making(TEMPORAL, '$2/temporal-cli-$3') }, FOUND_TEMPORAL],
  [temporal.fromGo, { go: making(TEMPORAL, '$GOBIN/temporal') }, FOUND_TEMPORAL],
]

describe('looking for what the service and its tests need', () => {
  const dir = useTemporaryDirectory()
  let count = 0

  /** Runs the search on Linux in a new home with only its programs on PATH. The user is not root by default. */
  async function ask([way, programs, , userId = 1000]: Case<unknown>) {
    const home = path.join(dir.path, String(++count))
    await mkdir(home)
    for (const [name, source] of Object.entries(programs)) await writeProgram(home, name, source)
    const env = { PATH: home, HOME: home }
    const context = createContext({ env, platform: 'linux', userId, nodePath: path.join(home, 'node') })
    const answer = await way(context)
    const cache = path.join(home, '.cache/sales-data-webhooks')
    const left = await readdir(cache, { recursive: true, withFileTypes: true }).catch(() => [])
    return { answer, left: left.flatMap((entry) => (entry.isFile() ? [entry.name] : [])) }
  }

  it('says why it finds nothing, also what a failed installation or build said, and leaves nothing behind', async () => {
    for (const one of MISSING) {
      const { answer, left } = await ask(one)
      expect(answer).to.have.property('missing').that.includes(one[2])
      expect(left, one[2]).to.deep.equal([])
    }
  })

  it('takes what is there, and what it can bring, which is kept in the cache', async () => {
    for (const one of FOUND) {
      const { answer, left } = await ask(one)
      expect((answer as { found: object }).found).to.include(one[2])
      if ('node' in one[1] || 'go' in one[1]) expect(left).to.deep.equal(['temporal'])
    }
  })

  it('takes servers from MySQL 8.0.17 and MariaDB 10.6 on', () => {
    const versions = ['8.0.17', '8.0.16', '9.7.4', '10.6.0-MariaDB', '10.5.99-MariaDB']
    const parsed = versions.map((version) =>
      database.parseDatabaseVersion(`mysqld  Ver ${version} for Linux`),
    )
    expect(parsed.map((version) => version?.isSupported)).to.deep.equal([true, false, true, true, false])
  })

  it('installs packages as root, after refreshing the lists, one part after the other, and takes what came', async () => {
    const log = path.join(dir.path, 'log')
    const target = path.join(dir.path, 'mariadbd')
    const note = `echo "$DEBIAN_FRONTEND $*" >> '${log}'\n/bin/sleep 0.05\necho done >> '${log}'\n`
    const source = `#!/bin/sh\n${note}[ "$1" = install ] || exit 0\n${making(MARIADB, target)}`
    await writeProgram(dir.path, 'apt-get', source)
    const env = { PATH: dir.path, HOME: dir.path }
    const context = createContext({ env, platform: 'linux', userId: ROOT_USER })
    const [server] = await Promise.all([database.fromApt(context), tools.browserFromApt(context)])
    expect(server).to.have.nested.property('found.executable', target)
    const lines = (await readFile(log, 'utf8')).trim().split('\n')
    const install = 'noninteractive install --yes --no-install-recommends'
    const [servers, browsers] = [
      'mariadb-server-core mariadb-client-core',
      'chromium-headless-shell fonts-dejavu-core',
    ]
    const begun = lines.filter((_, index) => index % 2 === 0)
    expect(begun).to.include.members([
      'noninteractive update',
      `${install} ${servers}`,
      `${install} ${browsers}`,
    ])
    expect(begun.indexOf('noninteractive update')).to.equal(0)
    expect(lines.filter((_, index) => index % 2 === 1)).to.deep.equal(begun.map(() => 'done'))
  })

  it('has go build the server of today once, also for runs side by side, and again when that one failed', async () => {
    const log = path.join(dir.path, 'log')
    const failsFirst = `[ -e "${log}.2" ] || { : > "${log}.2"; exit 1; }\n`
    const script = `#!/bin/sh\necho "$*" >> "${log}"\n/bin/sleep 0.1\n${failsFirst}`
    await writeProgram(dir.path, 'go', script + making('temporal version 1.32.1', '$GOBIN/server'))
    const context = createContext({ env: { PATH: dir.path, HOME: dir.path }, platform: 'linux' })
    const ways = await Promise.all([1, 2, 3].map(() => temporal.fromServerGo(context)))
    const found = ways.flatMap((way) => ('found' in way ? [way.found] : []))
    expect(found.map((server) => 'version' in server && server.version)).to.deep.equal(['1.32.1', '1.32.1'])
    const line = 'install -v go.temporal.io/server/cmd/server@v1.32.1'
    expect((await readFile(log, 'utf8')).trim().split('\n')).to.deep.equal([line, line])
  })

  // decision: Two databases
  it('ends npm test -- --b with exit code 1, why each way to a real MySQL failed, a running MariaDB too, and every choice', async () => {
    const greeting = Buffer.concat([Buffer.from([1, 0, 0, 0, 10]), Buffer.from('5.5.5-10.11.19-MariaDB\0')])
    const server = createServer((socket) => socket.end(greeting))
    const { port } = await listenOnLoopback(server)
    // This PATH has no apt, npm or server.
    const env = { HOME: dir.path, PATH: dir.path, TEST_DATABASE_URL: `mysql://u:p@127.0.0.1:${port}/mysql` }
    const args = ['scripts/test.ts', '--b', 'db/db/connection']
    const { code, output } = await run(process.execPath, args, { cwd: ROOT, env })
    server.close()
    expect(code).to.equal(1)
    expect(output).to.contain('Any one of these will do:').and.contain('TEST_DATABASE_URL names is MariaDB')
    expect(output).to.contain('there is none in').and.contain('install MySQL').and.contain('run on Debian')
    expect(output).to.contain('✗ test/db in B: No MySQL server was found')
    expect(output.trimEnd().split('\n').at(-1)).to.equal('0 passed, 1 failed')
  }).timeout(60_000)
})
