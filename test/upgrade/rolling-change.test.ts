// Only in .ci/run: six boots of two releases.
import { expect } from 'chai'
import { BY_WORKFLOWS } from '../support/first-attempts.ts'
import { QUICK_LEASES, TAKE_OVER_MS } from '../support/crashes.ts'
import { FORMER_RELEASE } from '../support/former-release.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { readMetric } from '../support/metrics.ts'
import { until } from '../support/poll.ts'
import type { RunningPart } from '../support/outputs.ts'
import { startStack, type Stack } from '../support/stack.ts'
import { clientOf, type TestTenant } from '../support/tenants.ts'
import { describeFormerRelease } from '../support/use-release.ts'
import { createTestWebhook, publishMany, type TestWebhook } from '../support/webhooks.ts'

const BATCH = 5

/** Both versions at once, as in a change of one process after the other; every event must arrive. */
describeFormerRelease(`a change between ${FORMER_RELEASE.tag} and this version`, (release) => {
  let stack: Stack
  let tenant: TestTenant
  let webhooks: TestWebhook[]
  let published: string[]
  const start = async (dir?: string) => {
    stack = await startStack({
      environment: { ...BY_WORKFLOWS, ...QUICK_LEASES },
      mayLogErrors: true,
      processes: true,
      ...(dir !== undefined && { dir }),
    })
    tenant = await stack.tenant()
    webhooks = await Promise.all(
      [1, 2].map(() => createTestWebhook(stack, tenant, { max_retries: 5, retry_schedule: [1] })),
    )
    published = []
  }
  afterEach(() => stack.stop())

  /** Publishes a batch of events at each of the apis. */
  async function publishAt(...apis: readonly RunningPart[]): Promise<void> {
    for (const { url } of apis)
      published.push(...(await publishMany({ request: clientOf(url, tenant.key) }, BATCH)))
  }

  const attemptsOf = (worker: RunningPart) => readMetric(worker, 'webhook_attempts_total')

  async function expectNothingLost(): Promise<void> {
    const open = () => stack.db('deliveries').whereNot({ status: 'success' }).pluck<string[]>('id')
    await until(open, (ids) => ids.length === 0, {
      withinMs: TAKE_OVER_MS,
      what: 'the end of every delivery',
    })
    for (const { path } of webhooks) {
      const arrived = stack.receiver.requestsTo(path).map(({ headers }) => headers['webhook-id'])
      expect(new Set(arrived)).to.deep.equal(new Set(published))
    }
    await expectSoundRows(stack.db)
  }

  // decision: Former release
  // decision: Workers of two releases
  it('loses nothing while the new processes take over one by one', async () => {
    await start(release().dir)
    const [api, worker] = [stack.api, stack.workers[0]!]
    stack.receiver.behave(webhooks[1]!.path, { failTimes: BATCH })
    await publishAt(api)
    const newWorker = await stack.spawnWorker({}, process.cwd())
    const newApi = await stack.spawnApi({}, process.cwd())
    const bothAttempt = async () => Math.min(await attemptsOf(worker), await attemptsOf(newWorker))
    const readOrPublish = async () => {
      if (published.length < 12 * BATCH) await publishAt(api, newApi)
      return bothAttempt()
    }
    await until(readOrPublish, (attempts) => attempts > 0, {
      withinMs: TAKE_OVER_MS,
      what: 'attempts of both workers',
    })
    expect(await worker.stop()).to.equal(0)
    await publishAt(api, newApi)
    expect(await api.stop()).to.equal(0)
    await publishAt(newApi)
    await expectNothingLost()
  })

  // decision: Former release
  it('lets the release take back what this version left open, on the schema as it is', async () => {
    await start()
    const [newApi, newWorker] = [stack.api, stack.workers[0]!]
    for (const { path } of webhooks) stack.receiver.behave(path, { status: 503 })
    await publishAt(newApi)
    for (const { path } of webhooks) await stack.receiver.waitFor(path, BATCH, { timeoutMs: TAKE_OVER_MS })
    expect(await newWorker.stop()).to.equal(0)
    expect(await newApi.stop()).to.equal(0)
    for (const { path } of webhooks) stack.receiver.behave(path, undefined)
    const api = await stack.spawnApi({}, release().dir)
    await stack.spawnWorker({}, release().dir)
    await publishAt(api)
    await expectNothingLost()
  })
})
