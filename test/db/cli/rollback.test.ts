// Also on MySQL with direct attempts: migrations are SQL of ours.
import { expect } from 'chai'
import { describeFailure } from '../../../src/cli/run.ts'
import { testDeps } from '../../support/database.ts'
import { runCommand } from '../../support/operator-commands.ts'
import { useCli } from '../../support/use-cli.ts'

describe('the command rollback', () => {
  const its = useCli()
  // Put only these in the latest batch, because dropping and recreating every table takes the database seconds.
  const FIRST = '036-notice-channels'
  // Restore what a test drops for the next test.
  beforeEach(async () => {
    await its.run('migrate')
    await its.database.db('knex_migrations').where('name', '>=', FIRST).update({ batch: 2 })
  })

  const isThere = () => its.database.db.schema.hasTable('notice_channels')
  const refusal = async (args: readonly string[], more: Record<string, string> = {}) => {
    const deps = testDeps(its.database, { ...its.environment, ...more })
    const refused = await runCommand(deps, 'rollback', ...args).then(() => undefined, describeFailure)
    return { exitCode: 0, code: '', message: '', ...refused }
  }

  // decision: `rollback` drops data
  it('drops nothing in production, whatever it is told, nor without a terminal unless it is told --yes-drop-data', async () => {
    const production = await refusal(['--yes-drop-data'], { NODE_ENV: 'production' })
    expect(production).to.include({ exitCode: 1, code: 'INVALID_REQUEST' })
    expect(production.message).to.include('NODE_ENV=production')
    const refused = await refusal([])
    expect(refused).to.include({ exitCode: 2, code: 'INVALID_USAGE' })
    expect(refused.message).to.include('--yes-drop-data').and.not.include('root')
    expect(await isThere()).to.equal(true)
    const { applied } = await its.run('rollback', '--yes-drop-data')
    expect(applied).to.include(FIRST).and.not.include('003-deliveries')
    expect(await isThere()).to.equal(false)
    expect((await its.run('migrate')).applied).to.have.members(applied)
  })

  // decision: `migrate` of an older release
  it('is refused, and migrate does nothing, where a later release has migrated', async () => {
    await its.database
      .db('knex_migrations')
      .insert({ name: '999-later', batch: 2, migration_time: new Date() })
    expect(await its.run('migrate')).to.deep.equal({ applied: [] })
    expect(await refusal(['--yes-drop-data'])).to.include({ exitCode: 1 })
    expect(await isThere()).to.equal(true)
  })
})
