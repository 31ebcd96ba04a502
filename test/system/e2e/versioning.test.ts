// Also on MySQL with direct attempts: it also asks Temporal's server of today.
import { expect } from 'chai'
import { WORKFLOW_CODE, recoveryWorkflowId } from '../../../src/workflows/contract.ts'
import { becomeDue } from '../../support/due-deliveries.ts'
import { BY_WORKFLOWS } from '../../support/first-attempts.ts'
import { checkHistory } from '../../support/histories.ts'
import type { RunningPart } from '../../support/running-parts.ts'
import { until, untilIs, untilThere } from '../../support/poll.ts'
import { useStack } from '../../support/use-stack.ts'
import { deliver } from '../../support/tenants.ts'

const DEPLOYMENT = 'shop-webhooks'
/** The task queues for workflow tasks and activities of deliveries, and for the rounds of recoveries. */
const QUEUES = 3
/** The test triggers the next attempt, however long a change of versions takes. */
const FAILING = [{ retry_schedule: [600] }, { status: 500 }] as const

// decision: Worker Versioning
describe('Worker Versioning', function () {
  this.timeout(90_000)
  const use = useStack({ workers: 0, environment: BY_WORKFLOWS })

  const start = (build?: string): Promise<RunningPart> =>
    use.stack.startWorker(build === undefined ? {} : { TEMPORAL_WORKER_DEPLOYMENT: `${DEPLOYMENT}:${build}` })

  /**
   * Makes a build current once Temporal knows all its queues, and waits until each queue uses it. The deployment's
   * `routingConfigUpdateState` is no help: in 2 of 50 changes server 1.32.1 left it «in progress» for over 15 s.
   */
  async function makeCurrent(buildId: string): Promise<void> {
    const { workflowService, options } = use.stack.temporal
    const namespace = options.namespace
    const version = { deploymentName: DEPLOYMENT, buildId }
    const registered = async () => {
      const asked = { namespace, deploymentVersion: version }
      const answer = await workflowService.describeWorkerDeploymentVersion(asked).catch(() => undefined)
      return answer?.workerDeploymentVersionInfo?.taskQueueInfos ?? []
    }
    const queues = await untilThere(registered, QUEUES, { what: `a poller of each queue in ${buildId}` })
    await workflowService.setWorkerDeploymentCurrentVersion({ namespace, ...version, identity: 'test' })
    for (const { name, type } of queues) {
      const asked = { namespace, taskQueue: { name: name! }, taskQueueType: type! }
      const current = async () => {
        const { versioningInfo } = await workflowService.describeTaskQueue(asked)
        return versioningInfo?.currentDeploymentVersion?.buildId
      }
      await untilIs(current, buildId, { what: `the change to ${buildId} in ${name}` })
    }
  }

  /** The deployment and build of each task that a worker completed, in order. Waits for the first task. */
  async function tasksOf(workflowId: string): Promise<string[]> {
    const completed = async () =>
      (await use.stack.eventsOf(workflowId)).flatMap((one) => one.workflowTaskCompletedEventAttributes ?? [])
    // The worker records a delivery before the end of the task with its first attempt.
    const tasks = await until(completed, ({ length }) => length > 0)
    return tasks.map(({ deploymentVersion, workerDeploymentName, workerVersion }) => {
      const { deploymentName, buildId } = deploymentVersion ?? {
        deploymentName: workerDeploymentName,
        buildId: workerVersion?.buildId,
      }
      return `${deploymentName}:${buildId}`
    })
  }
  const isEager = async (workflowId: string): Promise<boolean> => {
    const [first] = await use.stack.eventsOf(workflowId)
    return first!.workflowExecutionStartedEventAttributes!.eagerExecutionAccepted ?? false
  }
  const ended = (workflowId: string) => use.stack.temporal.workflow.getHandle(workflowId).result()

  it('is off unless it is set; then new and open runs go to the current build, of both queues', async () => {
    const unversioned = await start()
    const before = await deliver(use, 'retrying', ...FAILING)
    expect(await isEager(before.id)).to.equal(true)
    const off = `${WORKFLOW_CODE.deploymentName}:${WORKFLOW_CODE.buildId}`
    expect(await tasksOf(before.id)).to.deep.equal([off])

    const old = await start('build.1')
    await makeCurrent('build.1')
    // Otherwise its relay would continue to start its runs eagerly.
    await unversioned.stop()
    before.webhook.behave()
    await becomeDue(use.stack, [before.id])
    await before.webhook.delivery('success')
    await ended(before.id)
    expect((await tasksOf(before.id)).at(-1)).to.equal(`${DEPLOYMENT}:build.1`)
    await before.webhook.remove()
    const open = await deliver(use, 'retrying', ...FAILING)
    expect(await tasksOf(open.id)).to.deep.equal([`${DEPLOYMENT}:build.1`])

    await start('build.2')
    await makeCurrent('build.2')
    // A queue has partitions, and some may learn of the change later.
    await old.stop()
    open.webhook.behave()
    await becomeDue(use.stack, [open.id])
    await open.webhook.delivery('success')
    // Its first attempt was a local activity under an operator's build id, which a replay must reproduce.
    await checkHistory(use.stack, 'versioned', open.id)
    const [first, ...later] = await tasksOf(open.id)
    expect(first).to.equal(`${DEPLOYMENT}:build.1`)
    expect(new Set(later)).to.deep.equal(new Set([`${DEPLOYMENT}:build.2`]))
    await open.webhook.remove()

    const failed = await deliver(use, 'failed', { max_retries: 0 }, { failTimes: 1 })
    const { id } = (await failed.webhook.recover()).body.data
    await failed.webhook.delivery('success')
    await ended(recoveryWorkflowId(id))
    const rounds = await use.stack.eventsOf(recoveryWorkflowId(id))
    const makers = rounds.flatMap(
      ({ activityTaskStartedEventAttributes: round }) => round?.workerVersion?.buildId ?? [],
    )
    expect(new Set(makers)).to.deep.equal(new Set(['build.2']))
    for (const workflowId of [failed.id, recoveryWorkflowId(id)]) {
      expect(await isEager(workflowId), workflowId).to.equal(false)
      expect(new Set(await tasksOf(workflowId)), workflowId).to.deep.equal(new Set([`${DEPLOYMENT}:build.2`]))
    }
  })
})
