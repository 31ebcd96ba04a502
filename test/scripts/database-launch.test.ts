import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { createConnection, type RowDataPacket } from 'mysql2/promise'
import { findDatabase } from '../../scripts/lib/database/find.ts'
import { launchDatabase, type LaunchOptions } from '../../scripts/lib/database/launch.ts'
import { createContext } from '../../scripts/lib/find.ts'
import { freePorts } from '../../scripts/lib/ports.ts'
import { endGroup, spawnGroup } from '../../scripts/lib/processes.ts'
import { userEnvironment, useTemporaryDirectory, writeProgram } from './support.ts'

/** Records its arguments, and greets like a database when they include a port. */
const FAKE_SERVER = `
  const { appendFileSync, writeFileSync } = require('node:fs')
  const args = process.argv.slice(2)
  appendFileSync(process.env.LOG, JSON.stringify({ args, password: process.env.MYSQL_ROOT_PASSWORD }) + '\\n')
  const port = args.map((arg) => /^(?:--port=|127\\.0\\.0\\.1:)(\\d+)/.exec(arg)?.[1]).find(Boolean)
  if (port) require('node:net').createServer((s) => s.write(Buffer.from([1, 0, 0, 0, 10]))).listen(Number(port), '127.0.0.1')`

describe('a private database', function () {
  this.timeout(120_000) // a machine without any server installs one first
  const dir = useTemporaryDirectory()
  let started: number[] = []

  const supervisor: LaunchOptions['supervisor'] = {
    start: ({ command, args, env }) => {
      const { pid = 0 } = spawnGroup(command, args, { ...(env && { env }), stdio: 'ignore', graceMs: 20_000 })
      started.push(pid)
      return pid
    },
  }
  const stop = async () => {
    for (const pid of started) await endGroup(pid)
    started = []
  }
  afterEach(stop)

  async function launch(found: LaunchOptions['found'], overrides: Partial<LaunchOptions> = {}) {
    const [port = 0] = await freePorts([0])
    return launchDatabase({
      supervisor,
      found,
      port,
      password: 'first',
      isDurable: true,
      dir: path.join(dir.path, 'database'),
      logFile: path.join(dir.path, 'log'),
      env: { ...process.env, LOG: path.join(dir.path, 'calls') },
      ...overrides,
    })
  }
  /** Looks for a server other than the one that the tests use. */
  const find = () => findDatabase(createContext({ env: userEnvironment() }))

  it('is durable, takes its password only, keeps its data, and takes a new password at the next start', async () => {
    const found = (await find()) as LaunchOptions['found']
    const first = await createConnection(`${await launch(found)}mysql`)
    const [rows] = await first.query<RowDataPacket[]>('SELECT @@innodb_flush_log_at_trx_commit AS flushed')
    expect(rows).to.deep.equal([{ flushed: 1 }])
    await first.query('CREATE DATABASE kept')
    await first.end()
    await stop()

    const theirs = path.join(dir.path, 'tmp of all')
    await mkdir(theirs)
    await writeFile(path.join(theirs, '#sql-temptable-6d67-af0-2cd.MAI'), '')
    const url = await launch(found, { password: 'second', env: { ...process.env, TMPDIR: theirs } })
    const refused = await createConnection(url.replace('second', '')).catch((error: unknown) => error)
    expect(refused).to.have.property('code', 'ER_ACCESS_DENIED_ERROR')
    const second = await createConnection(`${url}kept`)
    await second.end()
    const left = await readdir(theirs)
    expect(left, 'the temporary tables of another server').to.deep.equal(['#sql-temptable-6d67-af0-2cd.MAI'])
  })

  it('says what the server said when it cannot be initialised, and leaves nothing half made', async () => {
    const full = '#!/bin/sh\necho "No space left on device"\nexit 1\n'
    const executable = await writeProgram(dir.path, 'mysqld', full)
    const launched = launch({ kind: 'mysql', executable, version: '8.4.3' })
    expect(await launched.catch((error: unknown) => String(error))).to.contain('No space left on device')
    expect(existsSync(path.join(dir.path, 'database', 'mysql'))).to.equal(false)
  })

  it('in docker replaces a container that was left behind, publishes on loopback only, and hides the password', async () => {
    const executable = await writeProgram(dir.path, 'docker', FAKE_SERVER)
    await launch({ kind: 'docker', executable })
    const lines = (await readFile(path.join(dir.path, 'calls'), 'utf8')).trim().split('\n')
    const [remove, run] = lines.map((line) => JSON.parse(line) as { args: string[]; password?: string })
    expect(remove?.args.slice(0, 2)).to.deep.equal(['rm', '--force'])
    expect(run?.args).to.include.members(['run', '--rm', 'mysql:8.4', remove?.args[2]])
    expect(run?.args.find((arg) => arg.endsWith(':3306'))).to.match(/^127\.0\.0\.1:/)
    expect(run?.args.some((arg) => arg.includes('first'))).to.equal(false)
    expect(run?.password).to.equal('first')
  })
})
