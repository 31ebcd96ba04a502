import { conflict, type ApiError } from '../../domain/errors.ts'
import { RECOVERY_KINDS, type Recovery } from '../../domain/recovery/recovery.ts'
import { requireCompany } from '../../operations/companies.ts'
import { ownerOfRecovery, tenantOfWebhook } from '../../operations/operator/across-companies.ts'
import { cancelRecovery, startRecovery } from '../../operations/recovery/change.ts'
import { getRecovery, listRecoveries } from '../../operations/recovery/read.ts'
import { presentOwnedRecovery } from '../../presenters/operator.ts'
import { presentCursorPage, presentWholeList } from '../../presenters/pagination.ts'
import { presentRecovery } from '../../presenters/recoveries.ts'
import { inGroup, isGiven } from '../command.ts'
import { PART, SCOPE, scopeOf } from '../options.ts'
import { recoverAll, waitForEnd } from '../recover-all.ts'
import { numberOf, pageOf, parseChoice, parseTime } from '../values.ts'

const id = { value: 'ID', help: 'The recovery, rec_….', isRequired: true } as const

const since = {
  value: 'TIME',
  help: 'What was created at this ISO 8601 date or time, or later.',
  isRequired: true,
} as const

const COLUMNS =
  'created_at, id, webhook_id, recovers, status, stopped_reason, queued/total, since, until, ended_at'

export const recoveryCommands = inGroup('Recoveries', [
  {
    name: 'webhook recover',
    summary: 'Queue everything of a webhook again that failed in a window, oldest first.',
    options: {
      id: { value: 'ID', help: 'The webhook, whk_….', isRequired: true },
      since,
      until: { value: 'TIME', help: 'What was created before this ISO 8601 date or time; by default now.' },
      status: { value: 'STATUS', help: `What to recover: ${RECOVERY_KINDS.join(', ')}; by default failed.` },
      force: { help: 'Begin it also while the endpoint fails. It stops after 3 failed probes.' },
      wait: { help: 'Wait until it is over. Exit code 1 when it was cancelled.' },
    },
    run: async (context, values) => {
      const { deps, actor } = context
      const { id: webhookId, until, status = 'failed' } = values
      const input = {
        kind: parseChoice('status', status, RECOVERY_KINDS),
        since: parseTime('since', values.since),
        until: until === undefined ? undefined : parseTime('until', until),
        force: isGiven(values, 'force'),
      }
      const tenant = await tenantOfWebhook(deps, webhookId)
      const recovery = await startRecovery(deps, tenant, actor, webhookId, input)
      if (!isGiven(values, 'wait')) return presentOwnedRecovery(tenant, recovery)
      const ended = await waitForEnd(context, tenant, recovery)
      if (ended.state === 'cancelled') throw wasCancelled(ended)
      return presentOwnedRecovery(tenant, ended)
    },
  },
  {
    name: 'recovery list',
    summary: 'List the recoveries of a company or a webhook, newest first.',
    options: { ...SCOPE, ...PART },
    columns: COLUMNS,
    run: async ({ deps }, values) => {
      const part = pageOf(values)
      const { tenants, webhookId } = await scopeOf(deps, values)
      return presentCursorPage(await listRecoveries(deps, tenants, webhookId, part), presentRecovery)
    },
  },
  {
    name: 'recovery show',
    summary: 'Show how far a recovery has come.',
    options: { id },
    run: async ({ deps }, { id: recoveryId }) => {
      const { tenant, webhookId } = await ownerOfRecovery(deps, recoveryId)
      return presentOwnedRecovery(tenant, await getRecovery(deps, tenant, webhookId, recoveryId))
    },
  },
  {
    name: 'recovery cancel',
    summary: 'Cancel a recovery. What it has queued goes on.',
    options: { id },
    run: async ({ deps, actor }, { id: recoveryId }) => {
      const { tenant, webhookId } = await ownerOfRecovery(deps, recoveryId)
      const recovery = { webhookId, id: recoveryId }
      return presentOwnedRecovery(tenant, await cancelRecovery(deps, tenant, actor, recovery))
    },
  },
  {
    name: 'recover',
    summary:
      'Recover every active webhook that has failed deliveries, a few at once, and wait until that is over.',
    options: {
      'all-failed-since': since,
      company: { value: 'ID', help: 'Only webhooks of this company, com_…; by default of all.' },
      force: { help: 'Also webhooks whose endpoints fail. They are left out otherwise.' },
      'at-once': { value: 'N', help: 'How many recoveries run at once, 1 to 100; by default 5.' },
    },
    columns: `company_id, ${COLUMNS}`,
    run: async (context, values) => {
      const { company: companyId } = values
      const since = parseTime('all-failed-since', values['all-failed-since'])
      const atOnce = numberOf(values, 'at-once', 5)
      if (companyId !== undefined) await requireCompany(context.deps, companyId)
      const ended = await recoverAll(context, { since, companyId, atOnce, force: isGiven(values, 'force') })
      return presentWholeList(ended, ({ tenant, recovery }) => presentOwnedRecovery(tenant, recovery))
    },
  },
])

const wasCancelled = ({ id: recoveryId, stoppedReason, queued }: Recovery): ApiError =>
  conflict(
    `${recoveryId} was cancelled after ${queued} deliveries: ${stoppedReason ?? 'requested'}. Start another one to go on.`,
  )
