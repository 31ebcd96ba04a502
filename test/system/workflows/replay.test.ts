import { expect } from 'chai'
import { findUnreplayable, listSavedHistories, readSavedHistory, replay } from '../../support/histories.ts'
import type { Json } from '../../support/tenants.ts'
import { words } from '../../support/words.ts'

/** What test/system/e2e/histories.test.ts and test/system/e2e/direct-histories.test.ts record, and can save for a release. */
const KINDS = words(`
  deleted-webhook exhausted handed-over-failed handed-over-open handed-over-retried key-rotation
  key-rotation-revoked manual-retry-in-back-off manual-retry-in-flight parked-and-resumed queued-for-a-slot
  recovery retry-then-success signalled-retry-in-back-off signalled-retry-in-flight success test-event third-claim`)

describe('workflows that were started by an earlier release', function () {
  this.timeout(60_000)

  it('are saved for every kind of life', async () => {
    const kinds = new Set((await listSavedHistories()).map((name) => name.replace(/^v[^_]*_/, '')))
    expect([...kinds].sort()).to.deep.equal(KINDS)
  })

  it('go on under the workflow code of today', async () => {
    const names = await listSavedHistories()
    const saved = await Promise.all(names.map(async (name) => [name, await readSavedHistory(name)] as const))
    expect(await findUnreplayable(Object.fromEntries(saved))).to.deep.equal([])
  })

  it('are told from ones that took another way', async () => {
    const [name] = (await listSavedHistories()).filter((saved) => saved.endsWith('_success'))
    const history = await readSavedHistory(name!)
    const scheduled = (history.events as Json[]).find((event) => event.activityTaskScheduledEventAttributes)
    scheduled.activityTaskScheduledEventAttributes.activityType.name = 'anotherActivity'
    const failure = await replay(history).then(
      () => undefined,
      (error: unknown) => error as Error,
    )
    expect(failure?.name).to.equal('DeterminismViolationError')
  })
})
