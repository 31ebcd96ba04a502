import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { releaseLock, takeLock } from '../../scripts/lib/lock.ts'
import { startProgram, useTemporaryDirectory } from './support.ts'
import { keepSecrets } from '../../scripts/lib/private-files.ts'
import { parseKeyRing } from '../../src/domain/sealing/sealing.ts'
import { createServer } from 'node:http'
import { execa } from 'execa'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { listenOnLoopback } from '../support/loopback.ts'

describe('the lock of a checkout', () => {
  const dir = useTemporaryDirectory()
  const file = () => path.join(dir.path, 'start.lock')
  const taking = () =>
    startProgram(`
      const { takeLock } = await import('lib/lock.ts')
      const isMine = await takeLock(${JSON.stringify(file())})
      console.log(isMine ? 'mine' : 'taken')
      if (isMine) setInterval(() => {}, 1000)`)

  it('is given to exactly one of several processes that ask at once', async () => {
    const programs = [taking(), taking(), taking()]
    const answers = await Promise.all(programs.map((program) => program.line()))
    expect(answers.sort()).to.deep.equal(['mine', 'taken', 'taken'])
    programs.forEach((program) => program.signal('SIGKILL'))
    await Promise.all(programs.map((program) => program.ended))
    expect(await readdir(dir.path)).to.deep.equal(['start.lock'])
  })

  it('is taken over when its file was cut short, and from a process that was killed', async () => {
    await writeFile(file(), '{"owner":')
    expect(await takeLock(file())).to.equal(true)
    await releaseLock(file())
    const first = taking()
    expect(await first.line()).to.equal('mine')
    first.signal('SIGKILL')
    await first.ended
    expect(await takeLock(file())).to.equal(true)
  })
})

describe('the secrets of a checkout', () => {
  const dir = useTemporaryDirectory()
  const file = () => path.join(dir.path, '.data', 'secrets.env')

  it('are generated once and kept, readable by their owner only, with a key ring; those that an older file lacks are added', async () => {
    const first = await keepSecrets(file())
    expect(await keepSecrets(file())).to.deep.equal(first)
    expect(first.DATABASE_PASSWORD).to.match(/^[0-9a-f]{48}$/)
    expect(parseKeyRing(first.SECRETS_KEYS).firstKeyId).to.equal('dev')
    expect((await stat(file())).mode & 0o777).to.equal(0o600)
    expect((await stat(path.dirname(file()))).mode & 0o777).to.equal(0o700)
    await writeFile(file(), 'DATABASE_PASSWORD=kept\n')
    const secrets = await keepSecrets(file())
    expect(secrets.DATABASE_PASSWORD).to.equal('kept')
    expect(await readFile(file(), 'utf8')).to.contain(`SECRETS_KEYS="${secrets.SECRETS_KEYS}"`)
  })
})

const LAUNCHER = path.join(ROOT, 'scripts', 'with-settings.mjs')
const DATABASE_URL = 'mysql://root:p@127.0.0.1:3310/sales_data'
const RUNNING = `DATABASE_URL='${DATABASE_URL}'\nSECRETS_KEYS='dev:a'\nPORT='3000'\nWORKER_PORT='3001'\n`

// decision: Settings of a running `npm start`
describe('a process started by npm', () => {
  const dir = useTemporaryDirectory()

  /** Runs a program that prints its settings and arguments, in a folder with these files. */
  async function launch(files: Record<string, string>, env: Record<string, string> = {}) {
    await mkdir(path.join(dir.path, '.data'), { recursive: true })
    const program =
      'console.log(JSON.stringify({ ...process.env, args: process.argv.slice(2).join(" "), main: process.argv[1] }))'
    for (const [name, text] of Object.entries({ ...files, 'program.mjs': program }))
      await writeFile(path.join(dir.path, name), text)
    const options = { cwd: dir.path, env: { PATH: process.env['PATH'], ...env }, extendEnv: false }
    const args = [LAUNCHER, 'program.mjs', 'key', '--json']
    const { stdout, stderr } = await execa(process.execPath, args, options)
    expect(stderr).to.equal('')
    return JSON.parse(stdout) as Record<string, string>
  }

  it('has its own arguments, and takes a setting from the shell, else from .env, else from the running npm start; an empty value is none', async () => {
    const seen = await launch({})
    expect(seen['args']).to.equal('key --json')
    expect(path.basename(seen['main']!)).to.equal('program.mjs')
    expect(seen).not.to.have.any.keys('DATABASE_URL', 'SECRETS_KEYS')
    const set = await launch(
      { '.env': 'PORT=4000\nWORKER_PORT=4001\nSECRETS_KEYS=\n', '.data/service.env': RUNNING },
      { WORKER_PORT: '5001', LOG_LEVEL: '' },
    )
    expect(set).to.include({ WORKER_PORT: '5001', PORT: '4000', SECRETS_KEYS: 'dev:a', DATABASE_URL })
  })

  it('takes from files only settings that the shell has in neither form, with or without _FILE', async () => {
    const files = { '.env': 'PORT_FILE=/port\nMETRICS_TOKEN=a\nLOG_LEVEL_FILE=/level\n' }
    const set = { PORT: '5000', METRICS_TOKEN_FILE: '/token', LOG_LEVEL: '' }
    const seen = await launch(files, set)
    expect(seen).to.include({ ...set, LOG_LEVEL_FILE: '/level' })
    expect(seen).not.to.have.any.keys('PORT_FILE', 'METRICS_TOKEN')
  })

  it('is asked for its health at the port that a file names', async () => {
    const server = createServer((_request, response) => response.end())
    const { port } = await listenOnLoopback(server)
    const file = path.join(dir.path, 'port')
    await writeFile(file, `${port}\n`)
    for (const [kind, name] of [
      ['api', 'PORT_FILE'],
      ['worker', 'WORKER_PORT_FILE'],
    ] as const)
      await execa(process.execPath, ['scripts/healthcheck.mjs', kind], { cwd: ROOT, env: { [name]: file } })
    server.close().closeAllConnections()
  })

  it('takes the settings of a running npm start when it names the same database, and nothing when it names another', async () => {
    const files = { '.env': `DATABASE_URL=${DATABASE_URL}\n`, '.data/service.env': RUNNING }
    expect(await launch(files)).to.include({ SECRETS_KEYS: 'dev:a' })
    await rm(path.join(dir.path, '.env'))
    const other = 'mysql://root:p@db.example.com/sales_data'
    const seen = await launch({ '.data/service.env': RUNNING }, { DATABASE_URL: other })
    expect(seen).to.include({ DATABASE_URL: other })
    expect(seen).not.to.have.any.keys('SECRETS_KEYS', 'PORT', 'WORKER_PORT')
  })
})
