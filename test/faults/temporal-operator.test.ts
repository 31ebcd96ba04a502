import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { deliveryWith, isSuccess, TAKE_OVER_MS } from '../support/crashes.ts'
import { BY_WORKFLOWS } from '../support/first-attempts.ts'
import { createGrpcProxyTo } from '../support/grpc-proxy.ts'
import { untilAtLeast, untilIncludes } from '../support/poll.ts'
import { linesWith, type RunningPart, untilReadinessIs } from '../support/running-parts.ts'
import { startProcess } from '../support/processes.ts'
import { usePart, useStack } from '../support/use-stack.ts'
import { createTestWebhook, publishMany } from '../support/tenants.ts'

const OPERATOR_CALLS = ['ListSearchAttributes', 'AddSearchAttributes', 'RegisterNamespace']
const ASK = 'ask your operator to register'
const REFUSAL = { code: 7, message: 'Request unauthorized.' }

describe('a Temporal that refuses to register anything', function () {
  this.timeout(120_000)
  const use = useStack({ workers: 0, environment: BY_WORKFLOWS, mayLogErrors: true })
  const proxy = usePart(() => createGrpcProxyTo(use.stack.environment['TEMPORAL_ADDRESS']!))
  const workers: RunningPart[] = []
  afterEach(() => Promise.all(workers.splice(0).map((worker) => worker.stop())))

  const refuse = (methods: readonly string[]) =>
    proxy().refuse((method) => (methods.includes(method) ? REFUSAL : undefined))
  const registerNamespace = (namespace: string) =>
    use.stack.temporal.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    })
  const registerAttributes = (namespace: string, names: readonly string[]) =>
    use.stack.temporal.connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(names.map((name) => [name, 2])),
    })
  const environment = (namespace: string) => ({
    TEMPORAL_ADDRESS: proxy().address,
    TEMPORAL_NAMESPACE: namespace,
    RECONCILE_AFTER: '1s',
  })
  const newNamespace = () => `t-${randomBytes(6).toString('hex')}`
  /** Starts a worker in a new namespace that has these attributes, while Temporal refuses the calls. */
  async function startWhereRefused(names: readonly string[], calls = OPERATOR_CALLS) {
    const namespace = newNamespace()
    await registerNamespace(namespace)
    await registerAttributes(namespace, names)
    refuse(calls)
    const worker = await use.stack.startWorker(environment(namespace))
    workers.push(worker)
    return { namespace, worker }
  }
  const asks = (worker: RunningPart) => linesWith(worker, ASK)

  /** Publishes an event. Returns the names of its workflow's search attributes once the event is delivered. */
  async function attributesOfDelivery(namespace: string): Promise<string[]> {
    const tenant = await use.stack.tenant()
    await createTestWebhook(use.stack, tenant)
    const [eventId = ''] = await publishMany(tenant, 1)
    const { id } = await deliveryWith(use.stack, eventId, isSuccess)
    const { workflowExecutionInfo } = await use.stack.temporal.workflowService.describeWorkflowExecution({
      namespace,
      execution: { workflowId: id as string },
    })
    const names = Object.keys(workflowExecutionInfo?.searchAttributes?.indexedFields ?? {})
    return names.filter((name) => !/^(Build|Temporal)/.test(name)).sort()
  }
  const ALL = ['CompanyId', 'Environment', 'EventId', 'EventType', 'WebhookId']

  // decision: A Temporal that refuses to register
  it('gets a worker that boots and asks for nothing where everything is there', async () => {
    const { namespace, worker } = await startWhereRefused(ALL)
    expect(await attributesOfDelivery(namespace)).to.deep.equal(ALL)
    expect(asks(worker)).to.deep.equal([])
  })

  // decision: A Temporal that refuses to register
  it('gets a worker that delivers without the attributes that are missing, asks for them once, and uses them once they are there', async () => {
    const { namespace, worker } = await startWhereRefused(['CompanyId', 'WebhookId'])
    expect(await attributesOfDelivery(namespace)).to.deep.equal(['CompanyId', 'WebhookId'])
    const checked = proxy().calls('ListSearchAttributes')
    await untilAtLeast(() => proxy().calls('ListSearchAttributes'), checked + 2, {
      withinMs: TAKE_OVER_MS,
      what: 'two more rounds of the reconciler',
    })
    expect(asks(worker)).to.have.length(1)
    for (const missing of ['EventType', 'EventId', 'Environment'])
      expect(asks(worker)[0]).to.include(`search attribute ${missing} (Keyword)`)
    expect(asks(worker)[0]).to.not.include('WebhookId')

    await registerAttributes(namespace, ['EventType', 'EventId', 'Environment'])
    await untilIncludes(() => worker.output(), 'everything is registered at Temporal now', {
      withinMs: TAKE_OVER_MS,
    })
    expect(await attributesOfDelivery(namespace)).to.deep.equal(ALL)
  })

  // decision: A Temporal that refuses to register
  it('keeps a worker waiting that has no namespace, with a line that says what to register', async () => {
    const namespace = newNamespace()
    refuse(OPERATOR_CALLS)
    const settings = { ...use.stack.environment, ...environment(namespace) }
    const waiting = await startProcess('worker', settings, { waitUntilReady: false })
    workers.push(waiting)
    await untilIncludes(() => waiting.output(), `ask your operator to register it`, { withinMs: 30_000 })
    expect(waiting.output()).to.include(namespace)
    await registerNamespace(namespace)
    await untilReadinessIs(waiting, 200, { withinMs: 60_000 })
  })

  it('gets no purge schedule from a worker that may not create one, which says so and delivers', async () => {
    const { namespace, worker } = await startWhereRefused(ALL, ['CreateSchedule'])
    expect(await attributesOfDelivery(namespace)).to.deep.equal(ALL)
    expect(asks(worker)).to.have.length(1)
    expect(asks(worker)[0]).to.include('schedule purge-history')
  })
})
