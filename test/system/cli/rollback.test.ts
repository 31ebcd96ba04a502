import { expect } from 'chai'
import { cliOnTerminal } from '../../support/terminal.ts'
import { useCli } from '../../support/use-cli.ts'

/** What it does without a terminal is tested in test/db/cli/rollback.test.ts. */
describe('the command rollback on a terminal', () => {
  const its = useCli()
  // Only what came with these is the latest batch: to drop and make every table again takes seconds of the database.
  const FIRST = '036-notice-channels'
  before(() => its.database.db('knex_migrations').where('name', '>=', FIRST).update({ batch: 2 }))

  const ask = (answer: string) =>
    cliOnTerminal(['rollback'], its.environment, { question: 'to go on: ', answer })
  const isThere = () => its.database.db.schema.hasTable('notice_channels')

  // decision: `rollback` drops data
  it('drops the tables when a person answers yes to the name of the database, and nothing at y or Ctrl-D', async () => {
    for (const { exitCode, shown } of await Promise.all(['y\r', '\u0004'].map(ask))) {
      expect(exitCode, shown).to.equal(1)
      expect(shown).to.include('Nothing was taken back')
    }
    expect(await isThere()).to.equal(true)
    const { exitCode, shown } = await ask('yes\r')
    expect(exitCode, shown).to.equal(0)
    expect(shown).to.include(new URL(its.database.url).pathname.slice(1))
    // The newest come first, and a long line is cut.
    expect(shown).to.match(/applied: \d{3}-[a-z-]+, \d{3}-/)
    expect(await isThere()).to.equal(false)
  })
})
