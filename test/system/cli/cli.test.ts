import { expect } from 'chai'
import { execa } from 'execa'
import { COMMANDS } from '../../../src/cli/commands.ts'
import { testDeps } from '../../support/database.ts'
import { runCommand } from '../../support/operator-commands.ts'
import { useCli } from '../../support/use-cli.ts'
import { words } from '../../support/words.ts'

const NOTHING = /^$/
const HELP = /^API keys:\n {2}key create /m
const NOT_FOUND = /^{"error":{"code":"NOT_FOUND","message":"API key not found\."}}$/
const WRONG = /^{"error":{"code":"INVALID_USAGE","message":"[^"]+"}}$/
const INJECTED = ['completion', 'bash', '--name', 'a; rm -rf /']

/** Tests what only a process shows. test/db/cli covers the commands, and test/unit/cli the arguments. */
describe('the command line as a process', () => {
  const its = useCli()

  for (const [what, args, exitCode, stdout, stderr] of [
    ['commands by group to who names none, on stderr', [], 2, NOTHING, HELP],
    ['commands by group to --help, on stdout', ['--help'], 0, HELP, NOTHING],
    ['result on stdout', words('company create --name A'), 0, /^id: com_[0-9a-f-]{36}$/, NOTHING],
    ['refusal on stderr', words('key show --id key_1'), 1, NOTHING, /^NOT_FOUND: API key not found\.$/],
    ['refusal as the document with --json', words('key show --id key_1 --json'), 1, NOT_FOUND, NOTHING],
    ['wrong usage as the document with --json', words('--json key frobnicate'), 2, WRONG, NOTHING],
    ['refusal to complete more than a name', INJECTED, 2, NOTHING, /--name must be a command/],
  ] as const)
    it(`shows the ${what}, and ends with ${exitCode}`, async () => {
      const result = await its.result(args)
      expect(result.exitCode).to.equal(exitCode)
      expect(result.stdout).to.match(stdout)
      expect(result.stderr).to.match(stderr)
    })

  it('ends with exit code 2 and names all faults of a wrong configuration', async () => {
    const broken = { SECRETS_KEYS: '', PORT: 'none' }
    const { exitCode, stdout } = await its.result(words('company list --json'), broken)
    expect(exitCode).to.equal(2)
    expect(JSON.parse(stdout)).to.have.nested.property('error.code', 'INVALID_CONFIGURATION')
    expect(stdout).to.include('SECRETS_KEYS').and.include('PORT')
  })

  it('migrate creates the database, tells its steps on stderr and says once what it applied; rollback undoes it', async function () {
    // It creates and drops every table.
    this.timeout(60_000)
    const url = new URL(its.database.url)
    url.pathname = `${url.pathname}_fresh`
    const fresh = testDeps({ url: url.href, db: its.database.db }, its.environment)
    try {
      const { exitCode, stdout, stderr } = await its.result(['migrate', '--json'], { DATABASE_URL: url.href })
      expect(exitCode, stdout).to.equal(0)
      expect(stderr).to.include('036-notice-channels: table notice_channels\n')
      const { applied } = JSON.parse(stdout) as { applied: string[] }
      expect(applied).to.include('001-accounts')
      expect(await runCommand(fresh, 'migrate')).to.deep.equal({ applied: [] })
      const undone = await runCommand(fresh, 'rollback', '--yes-drop-data')
      expect(undone.applied).to.have.members(applied)
    } finally {
      await its.database.db.raw('DROP DATABASE IF EXISTS ??', [url.pathname.slice(1)])
    }
  })

  // decision: Shell completion
  it('is completed by bash: words and options of every command, also behind the values of options, and without settings', async () => {
    const { exitCode, stdout: script } = await its.result(['completion', 'bash'], { SECRETS_KEYS: '' })
    expect(exitCode).to.equal(0)
    const typed = ['', 'wor', 'webhook ', ...COMMANDS.map(({ name }) => `${name} -`)]
    const behind = ['webhook list --company com_1 --e', '--json webhook list --env live --co', 'nonsense ']
    const lines = [...typed, ...behind].map((line) => {
      const words = line.split(' ')
      return `COMP_WORDS=(sales-data ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
        _complete_sales_data; echo "\${COMPREPLY[*]}"`
    })
    const bash = await execa('bash', ['--norc', '-c', [script, ...lines].join('\n')])
    const offered = bash.stdout.split('\n').map((line) => line.split(' ').toSorted())
    const nouns = (from: typeof COMMANDS, at: number) =>
      [...new Set(from.map(({ name }) => name.split(' ')[at]!))].toSorted()
    const ofWebhooks = COMMANDS.filter(({ name }) => name.startsWith('webhook '))
    const everywhere = ['--columns', '--help', '--json', '--utc', '--version']
    expect(offered).to.deep.equal([
      nouns(COMMANDS, 0),
      ['worker'],
      nouns(ofWebhooks, 1),
      ...COMMANDS.map(({ options }) =>
        [...Object.keys(options).map((name) => `--${name}`), ...everywhere].toSorted(),
      ),
      ['--env'],
      ['--columns', '--company'],
      nouns(COMMANDS, 0),
    ])
  })
})
