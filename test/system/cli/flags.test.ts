import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { cliResult, runCli } from '../../support/cli.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

describe('the flags of every command', () => {
  let database: TestDatabase
  let environment: Record<string, string>
  let company: string
  before(async () => {
    database = await createTestDatabase()
    environment = {
      DATABASE_URL: database.url,
      SECRETS_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    }
    company = ((await runCli(['company', 'create', '--name', 'Acme'], environment)) as { id: string }).id
  })
  after(() => database.drop())

  it('may stand before the command as well as behind it', async () => {
    const lists = [
      ['--json', 'key', 'list', '--company', company],
      ['key', 'list', '--json', '--company', company],
      ['key', 'list', '--company', company, '--json'],
    ]
    for (const args of lists) {
      const { exitCode, stdout, stderr } = await cliResult(args, environment)
      expect([exitCode, stdout, stderr], args.join(' ')).to.deep.equal([0, '[]', ''])
    }
    const help = await cliResult(['--help', 'key', 'rotate'], environment)
    expect(help.stdout).to.include('--grace <GRACE>')
  })

  it('make a refusal JSON from before the command, too', async () => {
    const failures = [
      ['NOT_FOUND', '--json', 'key', 'show', '--id', 'key_1'],
      ['INVALID_USAGE', '--json', 'key', 'frobnicate'],
      ['INVALID_USAGE', '--json'],
      ['INVALID_USAGE', '--json', 'key', 'list', '--company', company, '--json'],
    ]
    for (const [code, ...args] of failures) {
      const { stdout, stderr } = await cliResult(args, environment)
      expect(stderr).to.equal('')
      expect(JSON.parse(stdout), args.join(' ')).to.have.nested.property('error.code', code)
    }
  })
})
