import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { fromDebian, fromMysqlCache } from '../../scripts/lib/database/debian-mysql.mjs'
import { findMysql, fromInstalled } from '../../scripts/lib/database/find.mjs'
import { run } from '../../scripts/lib/commands.mjs'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { contextIn, printing, reasonOf, useTemporaryDirectory, writeProgram } from './support.ts'

const MYSQL = 'mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))'
const MARIADB = 'mysqld  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)'
const cacheOf = (home: string) => path.join(home, '.cache', 'sales-data-webhooks')

// decision: Two databases
describe('looking for a real MySQL', () => {
  const dir = useTemporaryDirectory()

  it('passes over a mysqld that is MariaDB, and says so', async () => {
    await writeProgram(dir.path, 'mysqld', printing(MARIADB))
    const reason = reasonOf(await fromInstalled(contextIn(dir.path), [], ['mysql']))
    expect(reason).to.match(/mysqld is mariadb 10\.11\.19$/)
    const executable = await writeProgram(dir.path, 'mysqld', printing(MYSQL))
    const found = { kind: 'mysql', executable, version: '9.7.4' }
    expect(await fromInstalled(contextIn(dir.path), [], ['mysql'])).to.deep.equal({ found })
  })

  it('takes the one in the cache, and says when it does not run', async () => {
    const context = contextIn(dir.path)
    expect(reasonOf(await fromMysqlCache(context))).to.contain('there is none in')
    const home = path.join(cacheOf(dir.path), 'mysql-9.7.4')
    await mkdir(home, { recursive: true })
    const executable = await writeProgram(home, 'mysqld', printing(MYSQL))
    const found = { kind: 'mysql', executable, version: '9.7.4' }
    expect(await fromMysqlCache(context)).to.deep.equal({ found })
    await writeProgram(home, 'mysqld', '#!/bin/sh\necho "cannot open shared object file"\nexit 127\n')
    expect(reasonOf(await fromMysqlCache(context))).to.contain('cannot open shared object file')
  })

  describe('at Debian', () => {
    before(function () {
      if (!existsSync('/usr/share/keyrings/debian-archive-keyring.gpg')) this.skip()
    })

    /** Programs of apt and dpkg that fetch one package with a loader and a server. */
    async function writeApt(packages: string): Promise<string> {
      const log = path.join(dir.path, 'log')
      await writeProgram(
        dir.path,
        'apt-get',
        `#!/bin/sh\necho "$3 $4 $5 $6" >> '${log}'\n[ "$1" = -c ] && cp "$2" '${log}.conf'\n` +
          `[ "$3" = download ] && : > mysql-server-core.deb\nexit 0\n`,
      )
      await writeProgram(dir.path, 'apt-cache', `#!/bin/sh\n${packages}\n`)
      // Called as: dpkg-deb -x <file> <directory>
      const lib = '"$3/usr/lib/x86_64-linux-gnu"'
      await writeProgram(
        dir.path,
        'dpkg-deb',
        `#!/bin/sh\nmkdir -p ${lib}\nprintf '#!/bin/sh\\necho "${MYSQL}"\\n' > ${lib}/ld-linux-x86-64.so.2\n` +
          `chmod 755 ${lib}/ld-linux-x86-64.so.2\n`,
      )
      return log
    }
    const context = () => contextIn(dir.path, { env: { HOME: dir.path, PATH: `${dir.path}:/usr/bin:/bin` } })

    it('unpacks the server and what it needs into the cache, whole or not at all, with directories of apt’s own', async () => {
      const packages = 'mysql-server-core\\n  Depends: libaio\\nlibaio\\nperl-base\\n<virtual>\\n'
      const log = await writeApt(`printf "${packages}"`)
      const executable = path.join(cacheOf(dir.path), 'mysql-9.7.4', 'mysqld')
      const found = { kind: 'mysql', executable, version: '9.7.4' }
      expect(await fromDebian(context())).to.deep.equal({ found })
      expect(await fromMysqlCache(context())).to.deep.equal({ found })
      expect(await readdir(cacheOf(dir.path))).to.deep.equal(['mysql-9.7.4'])
      const calls = (await readFile(log, 'utf8')).trim().split('\n')
      expect(calls.map((call) => call.trim())).to.deep.equal(['update', 'download mysql-server-core libaio'])
      const config = await readFile(`${log}.conf`, 'utf8')
      const directories = [...config.matchAll(/^Dir::(\S+) "(.*)";$/gm)].filter(
        ([, , value]) => value !== '/dev/null',
      )
      const names = ['Etc::sourcelist', 'State', 'State::status', 'Cache']
      expect(directories.map(([, name]) => name)).to.deep.equal(names)
      for (const [, , value] of directories) expect(value).to.contain(cacheOf(dir.path))
    })

    it('says what apt said when there is no network, and leaves nothing behind', async () => {
      await writeApt('echo "E: No packages found"; exit 100')
      const failing = '#!/bin/sh\necho "Temporary failure resolving deb.debian.org"\n'
      await writeProgram(dir.path, 'apt-get', failing)
      expect(reasonOf(await fromDebian(context()))).to.contain('Temporary failure resolving')
      expect(await readdir(cacheOf(dir.path))).to.deep.equal([])
    })
  })

  it('names why each way failed and every choice, and passes over a running MariaDB', async () => {
    const greeting = Buffer.concat([Buffer.from([1, 0, 0, 0, 10]), Buffer.from('5.5.5-10.11.19-MariaDB\0')])
    const server = createServer((socket) => socket.end(greeting)).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    const env = { PATH: dir.path, HOME: dir.path, TEST_DATABASE_URL: `mysql://u:p@127.0.0.1:${port}/mysql` }
    const message = await findMysql(contextIn(dir.path, { env })).catch((error: unknown) => String(error))
    server.close()
    expect(message).to.contain('No MySQL server was found').and.contain('TEST_DATABASE_URL names is MariaDB')
    expect(message).to.contain('there is none in').and.contain('install MySQL').and.contain('run on Debian')
  })

  it('ends npm test -- --b with exit code 1 and the choices when there is none', async () => {
    // Neither apt nor npm nor a server is on this PATH.
    const env = { HOME: dir.path, PATH: dir.path }
    const args = ['scripts/test.ts', '--b', 'db/db/connection']
    const { code, output } = await run(process.execPath, args, { cwd: ROOT, env })
    expect(code).to.equal(1)
    expect(output).to.contain('Any one of these will do:')
    expect(output).to.contain('✗ test/db in B: No MySQL server was found')
    expect(output.trimEnd().split('\n').at(-1)).to.equal('0 passed, 1 failed')
  }).timeout(60_000)
})
