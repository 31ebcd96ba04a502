import type { ApiKey, KeyState } from '../domain/key/key.ts'
import type { KeyRecentUse, UsageSummary } from '../domain/key/usage.ts'

/** The record of a key on the operator's command line. It has only the first 24 characters of the key. */
export const presentApiKey = (key: ApiKey, state: KeyState, usage: UsageSummary) => ({
  id: key.id,
  name: key.name,
  description: key.description,
  prefix: key.prefix,
  scopes: key.scopes,
  type: key.type,
  user_id: key.userId,
  environment: key.environment,
  state,
  is_active: key.isActive,
  ip_allowlist: key.ipAllowlist,
  expires_at: key.expiresAt?.toISOString() ?? null,
  revoked_at: key.revokedAt?.toISOString() ?? null,
  rotated_to: key.rotatedTo,
  created_at: key.createdAt.toISOString(),
  last_used_at: key.lastUsedAt?.toISOString() ?? null,
  last_used_ip: key.lastUsedIp,
  request_count: key.requestCount,
  usage: {
    day: usage.day,
    week: usage.week,
    month: usage.month,
    daily: usage.daily.map(({ date, requests }) => ({ date, requests })),
  },
})

/** The recent use of a key. `endpoints` has the patterns of our routes, never the paths that callers sent. */
export const presentRecentUse = (use: KeyRecentUse) => ({
  last_hour: use.lastHour,
  daily: use.daily.map((day) => ({
    date: day.date,
    requests: day.requests,
    responses_2xx: day.responses2xx,
    responses_4xx: day.responses4xx,
    responses_5xx: day.responses5xx,
  })),
  endpoints: use.endpoints.map(({ method, path, lastUsedAt }) => ({
    method,
    path,
    last_used_at: lastUsedAt.toISOString(),
  })),
  addresses: use.addresses.map(({ address, lastUsedAt }) => ({
    address,
    last_used_at: lastUsedAt.toISOString(),
  })),
})

/** The key of the request. @param quota what is left of its rate limit; undefined if it has none */
export const presentCallingKey = (
  key: ApiKey,
  company: { readonly id: string; readonly name: string },
  ip: string,
  quota: { readonly limit: number; readonly remaining: number; readonly resetS: number } | undefined,
) => ({
  id: key.id,
  name: key.name,
  type: key.type,
  environment: key.environment,
  company: { id: company.id, name: company.name },
  user_id: key.userId,
  scopes: key.scopes,
  prefix: key.prefix,
  expires_at: key.expiresAt?.toISOString() ?? null,
  ip,
  rate_limit: quota ? { limit: quota.limit, remaining: quota.remaining, reset: quota.resetS } : null,
})

/** The answer to a creation. Only this answer and the answer to a rotation show the key. */
export const presentIssuedKey = (key: Pick<ApiKey, 'id'>, secret: string) => ({ id: key.id, key: secret })

/** The end of the old key after a rotation. */
export const presentEndOfKey = (old: { readonly oldKeyId: string; readonly oldExpiresAt: Date }) => ({
  old_key_id: old.oldKeyId,
  old_expires_at: old.oldExpiresAt.toISOString(),
})
