import { expect } from 'chai'
import { runCommand } from '../../support/operator-commands.ts'
import { refusalOf } from '../../support/refusals.ts'
import { useOperations } from '../../support/use-operations.ts'

describe('webhook update', () => {
  const its = useOperations()
  const update = (id: string, filter: string) =>
    runCommand(its.deps, 'webhook', 'update', '--id', id, '--filter', filter)

  it('sets and removes the filter of a webhook by the rules of the API', async () => {
    const id = await its.newWebhook()
    const filter = { 'data.stage': 'won' }
    expect((await update(id, JSON.stringify(filter))).filter).to.deep.equal(filter)
    expect(await refusalOf(update(id, '{"data.stage":{"$is":1}}'))).to.contain(
      '"filter.data.stage.$is" is no',
    )
    expect(await refusalOf(update(id, '[]'))).to.contain('--filter must be a JSON object')
    expect(await update(id, 'null')).not.to.have.property('filter')
  })
})
