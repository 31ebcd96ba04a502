import { expect } from 'chai'
import { UsageError } from '../../../src/cli/command.ts'
import { deleteCompany } from '../../../src/cli/delete-company.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { LONGEST_REQUEST_MS } from '../../../src/operations/cost-limits.ts'
import { runCommand } from '../../support/operator-commands.ts'
import { refusalOf } from '../../support/refusals.ts'
import { useOperations } from '../../support/use-operations.ts'

describe('deleting a company without a worker', () => {
  const its = useOperations()

  /** Suspends the company of the test, so long ago that no request can be under way that was let in before. */
  const suspendedLong = () =>
    its
      .db('companies')
      .where({ id: its.keyring.companyId })
      .update({ suspended_at: new Date(Date.now() - LONGEST_REQUEST_MS) })
  const remove = () =>
    runCommand(its.deps, 'company', 'delete', '--yes-delete-everything', '--id', its.keyring.companyId)

  it('is refused while deliveries may be under way, and done where there is no webhook', async () => {
    const webhookId = await its.newWebhook()
    await suspendedLong()
    expect(await refusalOf(remove())).to.match(/^SERVICE_UNAVAILABLE: No worker lives/)
    await its.db('webhooks').where({ id: webhookId }).delete()
    expect((await remove()).deleted).to.equal(true)
  })

  it('asks on a terminal for the id, and elsewhere needs the flag', async () => {
    const { companyId } = its.keyring
    /** undefined: nobody can be asked. */
    const answered = (answer?: string) => {
      const ignore = () => undefined
      const terminal = answer === undefined ? undefined : { ask: () => Promise.resolve(answer) }
      const progress = { show: ignore, end: ignore, print: ignore }
      const unused = { secrets: {} as never, probes: {} as never, write: () => Promise.resolve(true) }
      return deleteCompany(
        { deps: its.deps, actor: COMMAND_LINE, terminal, progress, ...unused },
        companyId,
        {},
      )
    }
    expect(await answered().catch((error: unknown) => error)).to.be.instanceOf(UsageError)
    expect(await refusalOf(answered('yes'))).to.equal('INVALID_REQUEST: Nothing was deleted.')
    expect(await its.db('companies').where({ id: companyId }).first()).to.include({ suspended_at: null })
    await suspendedLong()
    expect(await answered(companyId)).to.deep.equal({})
  })
})
