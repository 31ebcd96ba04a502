import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { expect } from 'chai'
import { execa } from 'execa'
import { ROOT } from '../../scripts/lib/paths.mjs'
import { useTemporaryDirectory } from './support.ts'

const LAUNCHER = path.join(ROOT, 'scripts', 'with-settings.mjs')
const DATABASE_URL = 'mysql://root:p@127.0.0.1:3310/sales_data'
const RUNNING = `DATABASE_URL='${DATABASE_URL}'\nSECRETS_KEYS='dev:a'\nPORT='3000'\nWORKER_PORT='3001'\n`

describe('a process started by npm', () => {
  const dir = useTemporaryDirectory()

  /** Runs a program that prints its settings and arguments, in a folder with these files. */
  async function launch(files: Record<string, string>, env: Record<string, string> = {}) {
    await mkdir(path.join(dir.path, '.data'))
    const program =
      'console.log(JSON.stringify({ ...process.env, args: process.argv.slice(2).join(" "), main: process.argv[1] }))'
    for (const [name, text] of Object.entries({ ...files, 'program.mjs': program }))
      await writeFile(path.join(dir.path, name), text)
    const { stdout, stderr } = await execa(process.execPath, [LAUNCHER, 'program.mjs', 'key', '--json'], {
      cwd: dir.path,
      env: { PATH: process.env['PATH'], ...env },
      extendEnv: false,
    })
    expect(stderr).to.equal('')
    return JSON.parse(stdout) as Record<string, string>
  }

  it('has its own arguments, and prints nothing about files that are not there', async () => {
    const seen = await launch({})
    expect(seen['args']).to.equal('key --json')
    expect(path.basename(seen['main']!)).to.equal('program.mjs')
    expect(seen).not.to.have.any.keys('DATABASE_URL', 'SECRETS_KEYS')
  })

  // decision: Settings of a running `npm start`
  it('takes a setting from the shell, else from .env, else from the running npm start; an empty value is none', async () => {
    const seen = await launch(
      { '.env': 'PORT=4000\nWORKER_PORT=4001\nSECRETS_KEYS=\n', '.data/service.env': RUNNING },
      { WORKER_PORT: '5001', LOG_LEVEL: '' },
    )
    expect(seen).to.include({ WORKER_PORT: '5001', PORT: '4000', SECRETS_KEYS: 'dev:a', DATABASE_URL })
  })

  // decision: Settings of a running `npm start`
  it('takes nothing from a running npm start when it names another database', async () => {
    const other = 'mysql://root:p@db.example.com/sales_data'
    const seen = await launch({ '.data/service.env': RUNNING }, { DATABASE_URL: other })
    expect(seen).to.include({ DATABASE_URL: other })
    expect(seen).not.to.have.any.keys('SECRETS_KEYS', 'PORT', 'WORKER_PORT')
  })

  it('takes the settings of a running npm start when it names the same database', async () => {
    const files = { '.env': `DATABASE_URL=${DATABASE_URL}\n`, '.data/service.env': RUNNING }
    expect(await launch(files)).to.include({ SECRETS_KEYS: 'dev:a' })
  })

  it('is itself the process that gets the signals and gives the exit code', async () => {
    await writeFile(
      path.join(dir.path, 'program.mjs'),
      'process.on("SIGTERM", () => process.exit(7)); setInterval(() => {}, 1000); console.log("ready")',
    )
    const child = spawn(process.execPath, [LAUNCHER, 'program.mjs'], { cwd: dir.path })
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    expect((await once(child, 'exit'))[0]).to.equal(7)
  })

  it('is api, worker or command line', async () => {
    const { scripts } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    for (const [name, file] of [
      ['start:api', 'server'],
      ['start:worker', 'worker'],
      ['cli', 'cli'],
    ] as const)
      expect(scripts[name]).to.match(new RegExp(`&& exec node scripts/with-settings.mjs dist/${file}.js$`))
  })
})
