// Only in .ci/run: six boots of two releases.
import { expect } from 'chai'
import { BY_WORKFLOWS } from '../support/first-attempts.ts'
import { QUICK_LEASES, TAKE_OVER_MS } from '../support/crashes.ts'
import { describeFormerRelease, FORMER_RELEASE } from '../support/former-release.ts'
import { expectSoundRows } from '../support/invariants.ts'
import { readMetric, type RunningPart } from '../support/running-parts.ts'
import { until } from '../support/poll.ts'
import { clientOf, createTestWebhook, publishMany, type TestWebhook } from '../support/tenants.ts'
import { useStack } from '../support/use-stack.ts'

const BATCH = 5

/** Both versions run at once, as in an upgrade of one process after the other. Every event must arrive. */
describeFormerRelease(`a change between ${FORMER_RELEASE.tag} and this version`, (release) => {
  const environment = { ...BY_WORKFLOWS, ...QUICK_LEASES }
  const use = useStack(() => ({ environment, mayLogErrors: true, dir: release() }))
  let webhooks: TestWebhook[]
  let published: string[]
  let ours: { readonly worker: RunningPart; readonly api: RunningPart } | undefined

  /** The processes of this version. The second test reuses those of the first. */
  const startOurs = async () =>
    (ours ??= {
      worker: await use.stack.spawnWorker({}, process.cwd()),
      api: await use.stack.spawnApi({}, process.cwd()),
    })

  const clientAt = ({ url }: RunningPart) => ({ ...use.tenant, request: clientOf(url, use.tenant.key) })

  async function createWebhooks(api: RunningPart): Promise<void> {
    const fields = { max_retries: 5, retry_schedule: [1] }
    webhooks = await Promise.all([1, 2].map(() => createTestWebhook(use.stack, clientAt(api), fields)))
    published = []
  }

  /** Publishes a batch of events at each of the apis. */
  async function publishAt(...apis: readonly RunningPart[]): Promise<void> {
    for (const api of apis) published.push(...(await publishMany(clientAt(api), BATCH)))
  }

  const attemptsOf = (worker: RunningPart) => readMetric(worker, 'webhook_attempts_total')

  async function expectNothingLost(): Promise<void> {
    const ids = webhooks.map(({ id }) => id)
    const ofWebhooks = use.stack.db('deliveries').whereIn('webhook_id', ids)
    const open = () => ofWebhooks.clone().whereNot({ status: 'success' }).pluck<string[]>('id')
    await until(open, (ids) => ids.length === 0, {
      withinMs: TAKE_OVER_MS,
      what: 'the end of every delivery',
    })
    for (const { path } of webhooks) {
      const arrived = use.stack.receiver.requestsTo(path).map(({ headers }) => headers['webhook-id'])
      expect(new Set(arrived)).to.deep.equal(new Set(published))
    }
    await expectSoundRows(use.stack.db)
  }

  // decision: Former release
  // decision: Workers of two releases
  it('loses nothing while the new processes take over one by one', async () => {
    const { stack } = use
    const [api, worker] = [stack.api, stack.workers[0]!]
    await createWebhooks(api)
    stack.receiver.behave(webhooks[1]!.path, { failTimes: BATCH })
    await publishAt(api)
    const { worker: newWorker, api: newApi } = await startOurs()
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
    const { stack } = use
    const { worker: newWorker, api: newApi } = await startOurs()
    await createWebhooks(newApi)
    for (const { path } of webhooks) stack.receiver.behave(path, { status: 503 })
    await publishAt(newApi)
    for (const { path } of webhooks) await stack.receiver.waitFor(path, BATCH, { timeoutMs: TAKE_OVER_MS })
    expect(await newWorker.stop()).to.equal(0)
    expect(await newApi.stop()).to.equal(0)
    for (const { path } of webhooks) stack.receiver.behave(path, undefined)
    const api = await stack.spawnApi({}, release())
    await stack.spawnWorker({}, release())
    await publishAt(api)
    await expectNothingLost()
  })
})
