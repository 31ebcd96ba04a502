import { keyVersion, type NamedKey } from '../domain/key/key.ts'
import type { reviewAllowlist } from '../domain/key/allowlist.ts'
import { describeScope, SCOPES } from '../domain/key/scopes.ts'
import type { IssuedLink, ShownInvitation, ShownLink } from '../domain/user/access-link.ts'
import {
  browserInWords,
  idleEnd,
  lacksSecondFactor,
  reauthenticatedUntil,
  type OwnSession,
  type Session,
  type SessionUser,
} from '../domain/user/session.ts'
import type { SavedFilter } from '../domain/user/saved-filter.ts'
import { actionsOf, grantableScopes } from '../domain/user/roles.ts'
import { presentApiKey } from './api-keys.ts'
import { presentWebhook, withHiddenValues } from './webhooks.ts'
import { type Company, ENVIRONMENTS } from '../domain/tenant.ts'
import type { Webhook } from '../domain/webhook/webhook.ts'

/* What only the console shows. */

/** A key as on the command line, with the name of its user and the old key that it replaces. */
export const presentNamedKey = ({ key, state, usage, userName, replaces }: NamedKey) => ({
  ...presentApiKey(key, state, usage),
  user_name: userName,
  replaces: replaces && { id: replaces.id, expires_at: replaces.expiresAt.toISOString() },
  version: keyVersion(key),
})

/** The answer to a creation or, with presentEndOfKey, to a rotation. Only these answers show the key. */
export const presentNewKey = (named: NamedKey, secret: string) => ({ ...presentNamedKey(named), key: secret })

/** The check of an allowlist that a user edits. `allowed` is null if no address was given or a line is wrong. */
export const presentReview = (
  { entries, faults }: ReturnType<typeof reviewAllowlist>,
  isAllowed: boolean | null,
) => ({
  allowed: isAllowed,
  entries,
  faults: faults.map(({ line, text, message }) => ({ line, text, message })),
})

const presentMember = (user: SessionUser) => ({
  id: user.id,
  email: user.email,
  name: user.name,
  role: user.role,
  allowed_scopes: user.allowedScopes,
  totp_enabled: user.hasSecondFactor,
  totp_locked_at: user.secondFactorLockedAt?.toISOString() ?? null,
})

/** A user in a list. @param selfId id of the signed-in user */
export const presentUser = (user: SessionUser, selfId: string) => ({
  ...presentMember(user),
  created_at: user.createdAt.toISOString(),
  is_self: user.id === selfId,
})

/** An open invitation. */
export const presentInvitation = ({ link, madeByName, isExpired, mail }: ShownInvitation) => ({
  id: link.id,
  email: link.email,
  role: link.role,
  allowed_scopes: link.allowedScopes,
  invited_by: { id: link.madeBy, name: madeByName },
  created_at: link.createdAt.toISOString(),
  expires_at: link.expiresAt.toISOString(),
  is_expired: isExpired,
  mail,
})

/** A new link. Only this answer shows it. */
export const presentIssuedLink = ({ link, url }: IssuedLink) => ({
  id: link.id,
  email: link.email,
  expires_at: link.expiresAt.toISOString(),
  link: url,
})

/** A session, as its user sees it. Its id is a hash that signs nobody in. @param current the session of the request */
export const presentOwnSession = (session: OwnSession, current: Pick<Session, 'idHash'>) => ({
  id: session.idHash.toString('base64url'),
  began_at: session.createdAt.toISOString(),
  seen_at: session.seenAt.toISOString(),
  ip: session.ip,
  browser: browserInWords(session.userAgent),
  is_current: session.idHash.equals(current.idHash),
})

/** What a link shows to a person who is not signed in. */
export const presentLink = (link: ShownLink) => ({
  kind: link.kind,
  company_name: link.companyName,
  email: link.maskedEmail,
  expires_at: link.expiresAt.toISOString(),
})

/** The part of the configuration that the console shows. */
type Settings = {
  readonly rotationGracesMs: Readonly<Record<string, number>>
  readonly webhookRetryScheduleMs: readonly number[]
  readonly servicePrefix: string
  readonly publicUrl: string
  readonly temporalUiUrl: string | undefined
  readonly temporal: { readonly namespace: string }
  readonly mailServer: object | undefined
}

/** What the forms and links of the console need to know about the service. */
const presentSettings = (settings: Settings) => ({
  scopes: SCOPES.map((name) => ({ name, description: describeScope(name) })),
  rotation_graces: Object.entries(settings.rotationGracesMs).map(([name, ms]) => ({
    name,
    seconds: ms / 1_000,
  })),
  retry_schedule: settings.webhookRetryScheduleMs.map((ms) => ms / 1_000),
  key_prefix: settings.servicePrefix,
  public_url: settings.publicUrl,
  temporal_ui_url: settings.temporalUiUrl ?? null,
  temporal_namespace: settings.temporal.namespace,
  sends_mail: settings.mailServer !== undefined,
})

type SignedIn = {
  readonly session: Session
  readonly csrfToken: string
  readonly address: string
  readonly recoveryCodesLeft: number
}

/** The session of a user who is signed in. */
export const presentSession = ({ session, ...signedIn }: SignedIn, settings: Settings) => {
  const { user, companySuspendedAt } = session
  const lacksFactor = lacksSecondFactor(session)
  return {
    state: 'signed_in',
    csrf_token: signedIn.csrfToken,
    address: signedIn.address,
    user: { ...presentMember(user), recovery_codes_left: signedIn.recoveryCodesLeft },
    company: {
      id: user.companyId,
      name: session.companyName,
      suspended_at: companySuspendedAt?.toISOString() ?? null,
      second_factor_required: session.requiresSecondFactor,
    },
    second_factor_missing: lacksFactor,
    environments: ENVIRONMENTS,
    permissions: lacksFactor ? [] : actionsOf(user.role, companySuspendedAt !== null),
    grantable_scopes: grantableScopes(user),
    reauthenticated_until: reauthenticatedUntil(session).toISOString(),
    expires_at: session.expiresAt.toISOString(),
    idle_expires_at: idleEnd(session).toISOString(),
    settings: presentSettings(settings),
  }
}

/** What the sign-in page needs. */
export const presentSignedOut = (csrfToken: string, address: string) => ({
  state: 'signed_out',
  csrf_token: csrfToken,
  address,
})

/** The companies among which the user must choose at the sign-in. */
export const presentCompanyChoice = (companies: readonly Pick<Company, 'id' | 'name'>[]) => ({
  state: 'choose_company',
  companies: companies.map(({ id, name }) => ({ id, name })),
})

/** A saved filter of the user. */
export const presentSavedFilter = ({ id, page, name, query, createdAt }: SavedFilter) => ({
  id,
  page,
  name,
  query,
  created_at: createdAt.toISOString(),
})

/** The state of an environment, and what needs attention. */
export const presentAttention = (attention: {
  readonly webhooks: number
  readonly unwell: number
  readonly waiting: number
  readonly openNotices: number
  readonly unwellWebhooks: readonly Parameters<typeof presentWebhook>[0][]
  readonly expiringKeys: readonly NamedKey[]
}) => ({
  webhooks: attention.webhooks,
  unwell: attention.unwell,
  waiting: attention.waiting,
  open_notices: attention.openNotices,
  unwell_webhooks: attention.unwellWebhooks.map((webhook) => presentWebhook(withHiddenValues(webhook))),
  expiring_keys: attention.expiringKeys.map(presentNamedKey),
})

/** A webhook by its name, with its event types. */
export const presentWebhookName = ({ id, name, events }: Pick<Webhook, 'id' | 'name' | 'events'>) => ({
  id,
  name,
  events,
})
