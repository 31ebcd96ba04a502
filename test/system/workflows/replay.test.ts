import { expect } from 'chai'
import { findUnreplayable, listSavedHistories, readSavedHistory, replay } from '../../support/histories.ts'
import type { Json } from '../../support/tenants.ts'
import { words } from '../../support/words.ts'

/**
 * These files in test/system/e2e record the histories and can save them: histories.test.ts, direct-histories.test.ts,
 * slow-first-attempt.test.ts and versioning.test.ts.
 */
const KINDS = words(`
  deleted-webhook exhausted handed-over-failed handed-over-open handed-over-retried key-rotation
  key-rotation-revoked manual-retry-in-back-off manual-retry-in-flight parked-and-resumed queued-for-a-slot
  recovery retry-then-success signalled-retry-in-back-off signalled-retry-in-flight slow-first-attempt slow-first-attempt-deleted slow-first-attempt-retried
  success test-event third-claim versioned`)

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

  // decision: A workflow's first attempt is a local activity
  it('go on in the way of the former release when its worker did their first task, though a later relay started them', async () => {
    for (const name of ['v0.2.0_success', 'v0.2.0_retry-then-success']) {
      const history = await readSavedHistory(name)
      const [payload] = history.events[0].workflowExecutionStartedEventAttributes.input.payloads
      const input = JSON.parse(Buffer.from(payload.data, 'base64').toString())
      // The fields that a later relay writes.
      const later = { ...input, view: { ...input.view, attempts: 0 }, isFirstLocal: true }
      payload.data = Buffer.from(JSON.stringify(later)).toString('base64')
      await replay(history)
    }
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
