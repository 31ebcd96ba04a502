import Joi from 'joi'
import { cursorListOf, cursorQuery, dataOf, date, oneOf } from '../../api/schemas/common.ts'
import { webhookTarget } from '../../api/routes/webhooks.ts'
import { RECOVERY_KINDS, type RecoveryKind } from '../../domain/recovery/recovery.ts'
import { countRecoverable, readMissed, listStartedRecoveries } from '../../operations/recovery/read.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import { presentMissed, presentRecoverable, presentStartedRecovery } from '../../presenters/recoveries.ts'
import type { Deps } from '../../deps/deps.ts'
import { missedSchema, recoverableSchema, startedRecovery } from '../answers.ts'
import { withData } from '../../api/routing/route.ts'
import { consoleRoute, type ConsoleRoute } from '../route.ts'

/** Like the body of a request for a recovery: `status` says what to recover. */
const recoverableQuery = Joi.object<{ since: Date; until?: Date; status: RecoveryKind }>({
  since: date().description('What was created at this time or later.').required(),
  until: date().description('What was created before this time; by default now.'),
  status: oneOf(RECOVERY_KINDS).default('failed'),
})

/** Tells who began each recovery, what a recovery would bring, and which events were missed in the latest pause. */
export function recoveryRoutes(deps: Deps): ConsoleRoute[] {
  const target = webhookTarget(deps)

  const list = consoleRoute('GET', '/webhooks/:id/recoveries', 'list', 'deliveries.read', {
    query: cursorQuery(),
    target,
    answers: { 200: { schema: cursorListOf(startedRecovery) } },
    handle: async ({ caller: { tenant }, target: { id }, query }) => ({
      body: presentCursorPage(await listStartedRecoveries(deps, tenant, id, query), presentStartedRecovery),
    }),
  })

  const recoverable = consoleRoute('GET', '/webhooks/:id/recoverable', 'report', 'deliveries.read', {
    query: recoverableQuery,
    target,
    answers: { 200: { schema: dataOf(recoverableSchema) } },
    handle: async ({ caller: { tenant }, target: { id }, query: { since, until, status: kind } }) => {
      const counted = await countRecoverable(deps, tenant, id, { kind, since, until }, deps.clock())
      return withData(presentRecoverable(counted))
    },
  })

  const missed = consoleRoute('GET', '/webhooks/:id/missed', 'report', 'deliveries.read', {
    target,
    answers: { 200: { schema: dataOf(missedSchema) } },
    handle: async ({ caller: { tenant }, target: { id } }) =>
      withData(presentMissed(await readMissed(deps, tenant, id))),
  })

  return [list, recoverable, missed]
}
