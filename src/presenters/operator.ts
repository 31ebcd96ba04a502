import { latestResult, whyUndelivered } from '../domain/delivery/view.ts'
import type { Attempt } from '../domain/delivery/delivery.ts'
import type { DeliveryOverview } from '../domain/delivery/gate.ts'
import type { StoredEvent } from '../domain/event/event.ts'
import type { Recovery } from '../domain/recovery/recovery.ts'
import type { Environment, Tenant, Company } from '../domain/tenant.ts'
import type { SessionUser } from '../domain/user/session.ts'
import { type FailingWebhook, holdsFirstAttempts } from '../domain/webhook/health.ts'
import type { OwnedWebhookView } from '../domain/webhook/webhook.ts'
import { presentDeliveryDetail, presentListedDelivery } from './deliveries.ts'
import { presentEventDetail } from './events.ts'
import { presentRecovery } from './recoveries.ts'
import { presentHealth, presentWebhook, withHiddenValues } from './webhooks.ts'

/* What only the operator's command line shows. */

/** A delivery in a list: the Delivery of the API without its payload, and why it has not arrived. */
export const presentOverview = ({ environment, delivery, webhook }: DeliveryOverview) => ({
  ...presentListedDelivery({ delivery, webhook }),
  environment,
  why: whyUndelivered(delivery, webhook),
  last_result: latestResult(delivery),
})

/** One delivery with its company, its payload and its latest attempts, the oldest of them first. */
export const presentOwnedDelivery = (
  { environment, delivery, webhook }: DeliveryOverview,
  companyId: string,
  attempts: readonly Attempt[],
) => ({
  company_id: companyId,
  environment,
  why: whyUndelivered(delivery, webhook),
  ...presentDeliveryDetail(delivery, webhook, attempts),
})

/** An event with its payload and its latest deliveries. */
export function presentEvent(
  event: StoredEvent,
  publisher: Parameters<typeof presentEventDetail>[1],
  environment: Environment,
  deliveries: readonly DeliveryOverview[],
) {
  const { id, ...shown } = presentEventDetail(event, publisher, deliveries.map(presentOverview))
  return { id, environment, ...shown }
}

/** The Webhook of the API with more about its health. Values of custom headers are hidden: many are credentials. */
export const presentOwnedWebhook = ({ environment, ...shown }: OwnedWebhookView) => ({
  ...presentWebhook(withHiddenValues(shown, '(hidden)')),
  environment,
  health: {
    ...presentHealth(shown),
    first_attempts_held: shown.holdsFirstAttempts,
    next_attempt_at: shown.health.probeAt?.toISOString() ?? null,
    paused_until: shown.health.pausedUntil?.toISOString() ?? null,
    warned_at: shown.health.warnedAt?.toISOString() ?? null,
  },
})

/** A webhook in the list of failing ones. */
export const presentFailingWebhook = ({ tenant, health, ...webhook }: FailingWebhook) => ({
  id: webhook.id,
  name: webhook.name,
  company_id: tenant.companyId,
  company: webhook.companyName,
  environment: tenant.environment,
  failing_since: health.failingSince?.toISOString() ?? null,
  consecutive_failures: health.consecutiveFailures,
  last_error: health.lastError,
  first_attempts_held: holdsFirstAttempts(health, webhook.now),
  waiting: webhook.waiting,
})

/** A recovery with its company and environment. */
export const presentOwnedRecovery = ({ companyId, environment }: Tenant, recovery: Recovery) => ({
  company_id: companyId,
  environment,
  ...presentRecovery(recovery),
})

export const presentCompany = (company: Company) => ({
  id: company.id,
  name: company.name,
  created_at: company.createdAt.toISOString(),
  suspended_at: company.suspendedAt?.toISOString() ?? null,
  second_factor_required_at: company.secondFactorRequiredAt?.toISOString() ?? null,
})

export const presentMember = (member: SessionUser) => ({
  id: member.id,
  email: member.email,
  name: member.name,
  role: member.role,
  totp_locked_at: member.secondFactorLockedAt?.toISOString() ?? null,
  created_at: member.createdAt.toISOString(),
})

type Changed = { readonly user: SessionUser; readonly disabledKeys: number }

/** A member after a change, and how many keys the change disabled. */
export const presentChangedUser = ({ user, disabledKeys }: Changed) => ({
  ...presentMember(user),
  allowed_scopes: user.allowedScopes,
  disabled_keys: disabledKeys,
})

type ResealCount = { readonly read: number; readonly resealed: number }

const presentCount = ({ read, resealed }: ResealCount) => ({ read, resealed })

type Reseal = { readonly firstKeyId: string } & Readonly<
  Record<'webhooks' | 'answers' | 'secondFactors' | 'mails' | 'channels', ResealCount>
>

export const presentReseal = ({ firstKeyId, webhooks, answers, secondFactors, mails, channels }: Reseal) => ({
  first_key: firstKeyId,
  webhooks: presentCount(webhooks),
  kept_answers: presentCount(answers),
  second_factors: presentCount(secondFactors),
  mails: presentCount(mails),
  notice_channels: presentCount(channels),
})
