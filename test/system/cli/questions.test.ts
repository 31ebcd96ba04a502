import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect } from 'chai'
import { cliResult } from '../../support/cli.ts'
import { countBoot, programEnvironment } from '../../support/environment.ts'
import { useCli } from '../../support/use-cli.ts'

describe('what the command line asks for', () => {
  const its = useCli()
  // Put only these in the latest batch, because dropping and recreating every table takes the database seconds.
  const FIRST = '036-notice-channels'
  let create: readonly string[]
  before(async () => {
    await its.database.db('knex_migrations').where('name', '>=', FIRST).update({ batch: 2 })
    const { id } = await its.run('company', 'create', '--name', 'Acme')
    create = ['user', 'create', '--company', id, '--name', 'A', '--email']
  })

  /**
   * Runs the built command line on a terminal (by `script`, which Linux and macOS have). Types the answer, including
   * control characters, once the command has printed the question. Returns all text of the terminal.
   */
  async function onTerminal(args: readonly string[], question: string, answer: string) {
    const command = [process.execPath, 'dist/cli.js', ...args]
    const scriptArgs =
      process.platform === 'linux'
        ? ['-qec', command.map((part) => `'${part}'`).join(' '), '/dev/null']
        : ['-q', '/dev/null', ...command]
    countBoot()
    const child = spawn('script', scriptArgs, {
      env: { ...programEnvironment(), TERM: 'dumb', ...its.environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let shown = ''
    let isAnswered = false
    child.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString()
      if (isAnswered || !shown.includes(question)) return
      isAnswered = true
      child.stdin.write(answer)
    })
    const [exitCode] = (await once(child, 'close')) as [number | null]
    return { exitCode, shown }
  }

  // decision: Passwords on the command line
  it('comes from stdin, without its last line break, where a password is not an argument', async () => {
    const run = (email: string, input: string) =>
      cliResult([...create, email, '--json'], its.environment, { input })
    const needed =
      '{"error":{"code":"INVALID_USAGE","message":"--password is needed, or its value on stdin."}}'
    for (const [input, exitCode, stdout] of [
      ['correct horse\n', 0, '{"id":"usr_'],
      ['1234567\n', 1, 'at least 8 characters'],
      ['', 2, needed],
    ] as const) {
      const result = await run('stdin@example.com', input)
      expect(result.exitCode, result.stdout).to.equal(exitCode)
      expect(result.stdout).to.include(stdout)
    }
  })

  it('is a password on a terminal, which does not show it', async () => {
    const args = [...create, 'a@example.com']
    const { exitCode, shown } = await onTerminal(args, 'Password: ', 'correct horse\r')
    expect(exitCode, shown).to.equal(0)
    expect(shown)
      .to.match(/id: +usr_/)
      .and.not.include('horse')
  })

  // test/db/cli/rollback.test.ts covers the command without a terminal.
  // decision: `rollback` drops data
  it('is yes before the rollback drops the tables of the database that it names, and nothing goes at y or Ctrl-D', async () => {
    const ask = (answer: string) => onTerminal(['rollback'], 'to go on: ', answer)
    const isThere = () => its.database.db.schema.hasTable('notice_channels')
    for (const { exitCode, shown } of await Promise.all(['y\r', '\u0004'].map(ask))) {
      expect(exitCode, shown).to.equal(1)
      expect(shown).to.include('Nothing was taken back')
    }
    expect(await isThere()).to.equal(true)
    const { exitCode, shown } = await ask('yes\r')
    expect(exitCode, shown).to.equal(0)
    expect(shown).to.include(new URL(its.database.url).pathname.slice(1))
    // The newest lines come first, and long lines are cut.
    expect(shown).to.match(/applied: \d{3}-[a-z-]+, \d{3}-/)
    expect(await isThere()).to.equal(false)
  })
})
