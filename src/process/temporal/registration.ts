import { ScheduleAlreadyRunning, ScheduleOverlapPolicy, type Client } from '@temporalio/client'
import type { NativeConnection } from '@temporalio/worker'
import { ALREADY_EXISTS, hasCode, INVALID_ARGUMENT, isRefused, NOT_FOUND } from './errors.ts'
import type { Log } from '../../deps/log.ts'
import {
  PURGE_SCHEDULE_ID,
  SEARCH_ATTRIBUTES,
  TASK_QUEUE,
  WORKFLOW_TYPES,
  type SearchAttribute,
} from '../../workflows/contract.ts'

type Parts = {
  readonly connection: NativeConnection
  readonly client: Client
  readonly namespace: string
  readonly log: Log
}

/** Three days: our database is the record of deliveries; Temporal's history only helps to inspect them. */
const RETENTION_DAYS = 3
const INDEXED_VALUE_TYPE_KEYWORD = 2
/** How long registering may take, so that a Temporal that hangs delays nothing else. */
const REGISTRATION_LIMIT_MS = 3_000
/** At least this time passes between two checks after refused calls: a burst of refused calls has one cause. */
const LOOK_EVERY_MS = 2_000

/**
 * Registers what a worker needs at Temporal: the namespace, search attributes and schedules. Temporal Cloud and servers
 * with an authorizer may refuse any registration.
 */
export class Registration {
  readonly #parts: Parts
  #found: readonly SearchAttribute[] = []
  #lastAsked = ''
  #lookedAtMs = Number.NEGATIVE_INFINITY

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Registers what is missing. When Temporal refuses, one log line asks the operator to do it. Workflows still get the
   * search attributes that exist.
   *
   * @throws Error when Temporal does not answer, or has no namespace for us
   */
  async prepare(): Promise<void> {
    const { connection } = this.#parts
    await connection.withDeadline(Date.now() + REGISTRATION_LIMIT_MS, async () => {
      await this.#prepareNamespace()
      this.#found = await this.#prepareSearchAttributes()
    })
    const attributes = SEARCH_ATTRIBUTES.filter((name) => !this.#found.includes(name))
    const schedules = await this.#prepareSchedules()
    this.#ask([...attributes.map((name) => `search attribute ${name} (Keyword)`), ...schedules])
  }

  /** Does the same as prepare, but never throws: it logs a failure. */
  async prepareOrWarn(): Promise<void> {
    await this.prepare().catch((error: unknown) =>
      this.#parts.log.warn({ err: error }, 'what is registered at Temporal could not be checked'),
    )
  }

  /**
   * Does the same as prepareOrWarn, but at most once in LOOK_EVERY_MS. Call it when Temporal refused a call: a server that lost
   * its store no longer has the namespace and the search attributes.
   */
  async look(): Promise<void> {
    if (performance.now() - this.#lookedAtMs < LOOK_EVERY_MS) return
    this.#lookedAtMs = performance.now()
    await this.prepareOrWarn()
  }

  /** The search attributes that a workflow may be started with; Temporal would refuse a start with any other one. */
  searchAttributes(): readonly SearchAttribute[] {
    return this.#found
  }

  async #prepareNamespace(): Promise<void> {
    if (await this.#isNamespaceThere()) return
    const { connection, namespace } = this.#parts
    try {
      await connection.workflowService.registerNamespace({
        namespace,
        workflowExecutionRetentionPeriod: { seconds: (RETENTION_DAYS * 24 * 3600) as never },
      })
    } catch (error) {
      if (hasCode(error, ALREADY_EXISTS)) return
      if (!isRefused(error)) throw error
      throw new Error(
        `Temporal does not let this worker use or register the namespace "${namespace}": ask your operator to register it, with a retention of ${RETENTION_DAYS} days, and to give this worker access`,
        { cause: error },
      )
    }
  }

  /** Whether this worker can use the namespace. The SDK makes the same call before it polls. */
  async #isNamespaceThere(): Promise<boolean> {
    const { connection, namespace } = this.#parts
    try {
      await connection.workflowService.describeNamespace({ namespace })
      return true
    } catch (error) {
      if (hasCode(error, NOT_FOUND) || isRefused(error)) return false
      throw error
    }
  }

  /**
   * Registers the missing search attributes.
   *
   * @returns the search attributes that exist. If Temporal refuses to list them, one query for each of them checks
   *   whether it exists
   */
  async #prepareSearchAttributes(): Promise<readonly SearchAttribute[]> {
    try {
      await this.#registerMissing()
      return SEARCH_ATTRIBUTES
    } catch (error) {
      if (!isRefused(error)) throw error
      const checks = SEARCH_ATTRIBUTES.map(async (name) =>
        (await this.#canQuery(`${name} = 'x'`)) ? [name] : [],
      )
      return (await Promise.all(checks)).flat()
    }
  }

  async #registerMissing(): Promise<void> {
    const { connection, namespace } = this.#parts
    const { operatorService } = connection
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace })
    const missing = SEARCH_ATTRIBUTES.filter((name) => !(name in customAttributes))
    if (missing.length === 0) return
    const searchAttributes = Object.fromEntries(missing.map((name) => [name, INDEXED_VALUE_TYPE_KEYWORD]))
    try {
      await operatorService.addSearchAttributes({ namespace, searchAttributes })
    } catch (error) {
      // Another worker registered them first.
      if (!hasCode(error, ALREADY_EXISTS)) throw error
    }
  }

  /** Whether Temporal accepts the query: it refuses one with an attribute that it does not know. */
  async #canQuery(query: string): Promise<boolean> {
    const { connection, namespace } = this.#parts
    try {
      await connection.workflowService.countWorkflowExecutions({ namespace, query })
      return true
    } catch (error) {
      if (hasCode(error, INVALID_ARGUMENT) || isRefused(error)) return false
      throw error
    }
  }

  /** Creates the schedule that removes old history every hour; an existing one stays. @returns what to ask the operator for */
  async #prepareSchedules(): Promise<readonly string[]> {
    const { client } = this.#parts
    try {
      await client.withDeadline(Date.now() + REGISTRATION_LIMIT_MS, () =>
        client.schedule.create({
          scheduleId: PURGE_SCHEDULE_ID,
          spec: { intervals: [{ every: '1h' }], jitter: '5m' },
          policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '1h' },
          action: {
            type: 'startWorkflow',
            workflowType: WORKFLOW_TYPES.purgeHistory,
            workflowId: PURGE_SCHEDULE_ID,
            taskQueue: TASK_QUEUE,
          },
        }),
      )
    } catch (error) {
      if (isRefused(error))
        return [`schedule ${PURGE_SCHEDULE_ID} (or give this worker the right to create it)`]
      if (!(error instanceof ScheduleAlreadyRunning)) throw error
    }
    return []
  }

  /** Logs what is missing, if that has changed since the last time. */
  #ask(missing: readonly string[]): void {
    const asked = missing.join(', ')
    if (asked === this.#lastAsked) return
    this.#lastAsked = asked
    const { log, namespace } = this.#parts
    if (asked === '') log.info('everything is registered at Temporal now')
    else log.warn({ missing, namespace }, `ask your operator to register at Temporal: ${asked}`)
  }
}
