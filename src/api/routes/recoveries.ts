import type { Deps } from '../../deps/deps.ts'
import { cancelRecovery, startRecovery } from '../../operations/recovery/change.ts'
import { getRecovery, listRecoveries } from '../../operations/recovery/read.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import { presentRecovery } from '../../presenters/recoveries.ts'
import { defineRoute, presented, withData, type AnyRoute, type ApiRequest } from '../routing/route.ts'
import { cursorListOf, cursorQuery, dataOf, HOW_TO_GO_ON } from '../schemas/common.ts'
import { recoverBody, RECOVERY_EXAMPLES, recoverySchema } from '../schemas/recoveries.ts'
import { webhookTarget } from './webhooks.ts'

const PATH = '/api-v1-webhooks/:id'

/** Recoveries of a webhook: start, list, get, cancel. */
export function recoveryRoutes(deps: Deps): AnyRoute[] {
  const target = ({ caller, params }: Pick<ApiRequest, 'caller' | 'params'>) =>
    getRecovery(deps, caller.tenant, params['id'] ?? '', params['recoveryId'] ?? '')

  const recover = defineRoute('POST', `${PATH}/recover`, {
    cost: 'report',
    scope: 'write:webhooks',
    operationId: 'recoverWebhook',
    summary: 'Queue everything again that failed in a window',
    description:
      'Each delivery gets a full set of attempts again, oldest first, and no more of them are under way at a time than the ' +
      'endpoint can take. One recovery of a webhook runs at a time, and five of a company: the others are queued. While the webhook ' +
      'is inactive it waits.',
    target: webhookTarget(deps),
    body: recoverBody,
    examples: RECOVERY_EXAMPLES,
    answers: {
      202: { description: 'The recovery, which runs or waits for its turn.', schema: dataOf(recoverySchema) },
    },
    handle: ({ caller: { tenant, actor }, target: { id }, body, answerOnce }) => {
      const { status: kind = 'failed', ...window } = body
      const input = { kind, ...window }
      return answerOnce(presented(presentRecovery, 202), (kept) =>
        startRecovery(deps, tenant, actor, id, input, kept),
      )
    },
  })

  const list = defineRoute('GET', `${PATH}/recoveries`, {
    cost: 'list',
    scope: 'read:webhooks',
    operationId: 'listRecoveries',
    summary: 'List the recoveries of a webhook by cursor',
    description: `The webhook counts as a filter. ${HOW_TO_GO_ON}`,
    query: cursorQuery(),
    target: webhookTarget(deps),
    answers: {
      200: { description: 'A part of the recoveries, newest first.', schema: cursorListOf(recoverySchema) },
    },
    handle: async ({ caller: { tenant }, target: { id }, query }) => ({
      body: presentCursorPage(await listRecoveries(deps, [tenant], id, query), presentRecovery),
    }),
  })

  const get = defineRoute('GET', `${PATH}/recoveries/:recoveryId`, {
    cost: 'cheap',
    scope: 'read:webhooks',
    operationId: 'getRecovery',
    summary: 'Get one recovery: how far it has come',
    target,
    answers: { 200: { description: 'The recovery.', schema: dataOf(recoverySchema) } },
    handle: ({ target: recovery }) => withData(presentRecovery(recovery)),
  })

  const cancel = defineRoute('DELETE', `${PATH}/recoveries/:recoveryId`, {
    cost: 'write',
    scope: 'write:webhooks',
    operationId: 'cancelRecovery',
    summary: 'Cancel a recovery: what it has queued goes on',
    description: 'A recovery that is over stays as it is.',
    target,
    answers: { 200: { description: 'The recovery after it.', schema: dataOf(recoverySchema) } },
    handle: async ({ caller: { tenant, actor }, target: recovery }) =>
      withData(presentRecovery(await cancelRecovery(deps, tenant, actor, recovery))),
  })

  return [recover, list, get, cancel]
}
