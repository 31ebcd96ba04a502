// Only in .ci/run: six boots of two releases.
import { WorkflowNotFoundError } from '@temporalio/client'
import { expect } from 'chai'
import { BY_WORKFLOWS } from '../support/first-attempts.ts'
import { newEventId, publish, QUICK_LEASES, TAKE_OVER_MS } from '../support/crashes.ts'
import { describeFormerRelease, FORMER_RELEASE } from '../support/former-release.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { until } from '../support/poll.ts'
import type { RunningPart } from '../support/running-parts.ts'
import { useSuspension } from '../support/suspension.ts'
import { clientOf, createTestWebhook, publishMany, type TestWebhook } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'

const EVENTS = 6
/** Retries are frequent, and do not run out during the test. */
const RETRIES = { max_retries: 10, retry_schedule: [2] }

/** Tests what docs/operating says about a suspension while processes of the former release still run. */
describeFormerRelease(`a company that is suspended while ${FORMER_RELEASE.tag} still runs`, (release) => {
  const environment = { ...BY_WORKFLOWS, ...QUICK_LEASES }
  const use = useStack(() => ({ environment, mayLogErrors: true, dir: release() }))
  let formerWorker: RunningPart
  let webhook: TestWebhook
  const { suspend, resume } = useSuspension(use)
  const at = ({ url }: RunningPart) => ({ ...use.tenant, request: clientOf(url, use.tenant.key) })
  type Row = { status: string; parked_at: Date | null }
  const rowsWhen = (isWanted: (row: Row) => boolean, what: string): Promise<Row[]> =>
    until(
      () => use.stack.db('deliveries').where({ webhook_id: webhook.id }) as Promise<Row[]>,
      (rows) => rows.every(isWanted),
      { withinMs: TAKE_OVER_MS, what },
    )
  const attemptsOf = async (): Promise<number> => {
    const [row] = await use.stack.db('deliveries').where({ webhook_id: webhook.id }).sum({ sum: 'attempts' })
    return Number(row!.sum)
  }
  beforeEach(async () => {
    webhook = await createTestWebhook(use.stack, use.tenant, RETRIES)
    webhook.behave({ status: 503 })
  })
  before(() => void (formerWorker = use.stack.workers[0]!))
  afterEach(() => expectSoundRows(use.stack.db))

  /** The former release cannot continue this one's runs. At a rollback docs/operating/upgrade.md terminates them. */
  async function terminateRuns(): Promise<void> {
    const { workflow } = use.stack.temporal
    for (const { id } of await use.stack.db('deliveries').select('id'))
      await workflow
        .getHandle(id as string)
        .terminate('step back')
        .catch((error: unknown) => expect(error).to.be.instanceOf(WorkflowNotFoundError))
  }

  // decision: Workers of two releases
  it('is served again by the former release after a step back, and loses nothing', async () => {
    const formerApi = use.stack.api
    await publishMany(at(formerApi), EVENTS)
    expect(await formerWorker.stop()).to.equal(0)
    const newWorker = await use.stack.spawnWorker({}, process.cwd())
    await suspend()
    await rowsWhen(({ parked_at: parkedAt }) => parkedAt !== null, 'that everything is parked')
    expect(await newWorker.stop()).to.equal(0)
    webhook.behave()
    await terminateRuns()
    formerWorker = await use.stack.spawnWorker({ RECONCILE_AFTER: '2s' }, release())
    await publishMany(at(formerApi), 1)
    const rows = await rowsWhen(({ status }) => status === 'success', 'that everything is delivered')
    expect(rows).to.have.length(EVENTS + 1)
  })

  // decision: Workers of two releases
  it('is refused by the new api alone, and is held once the former processes have ended', async () => {
    const formerApi = use.stack.api
    await publishMany(at(formerApi), EVENTS)
    await use.stack.spawnWorker({}, process.cwd())
    const newApi = await use.stack.spawnApi({}, process.cwd())
    await suspend()
    expect((await publish(at(newApi), newEventId())).body.error.code).to.equal('API_KEY_DISABLED')
    await publishMany(at(formerApi), EVENTS)
    expect(await formerApi.stop()).to.equal(0)
    expect(await formerWorker.stop()).to.equal(0)
    await rowsWhen(({ parked_at: parkedAt }) => parkedAt !== null, 'that everything is parked')
    const attempts = await attemptsOf()
    webhook.behave()
    await resume()
    const rows = await rowsWhen(({ status }) => status === 'success', 'that everything is delivered')
    expect(rows).to.have.length(2 * EVENTS)
    // Each delivery has one more attempt, so none was made while it was held.
    expect(await attemptsOf()).to.equal(attempts + 2 * EVENTS)
  })
})
