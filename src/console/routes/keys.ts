import { cursorListOf, dataOf } from '../../api/schemas/common.ts'
import { createApiKey, type ApiKeyInput, type IssuedKey } from '../../operations/key/create.ts'
import { revokeApiKey, updateApiKey } from '../../operations/key/change.ts'
import { listKeysByCursor, showKeyOfTenant, showRecentUse } from '../../operations/key/read.ts'
import { rotateApiKey, type Rotation } from '../../operations/key/rotate.ts'
import { showUser } from '../../operations/user/members.ts'
import { summariseUsage } from '../../domain/key/usage.ts'
import { widens } from '../../domain/key/fields.ts'
import { keyVersion, type NamedKey } from '../../domain/key/key.ts'
import { presentEndOfKey, presentRecentUse } from '../../presenters/api-keys.ts'
import { presentNamedKey, presentNewKey } from '../../presenters/console.ts'
import { presentCursorPage } from '../../presenters/pagination.ts'
import type { Deps } from '../../deps/deps.ts'
import { ifMatch } from '../../api/routing/precondition.ts'
import { presented, withData, type ApiRequest } from '../../api/routing/route.ts'
import { camelCased } from '../../domain/fields/case.ts'
import { createdKey, keySchema, recentUse, rotatedKey } from '../answers.ts'
import { consoleRoute, type ConsoleCaller, type ConsoleRoute } from '../route.ts'
import { keyChangeBody, keyListQuery, newKeyBody, rotateBody, type NewKeyBody } from '../schemas.ts'
import { requirePassword } from '../console-sessions.ts'

/** Finds the key that a path names, in the environment of the path. */
export const keyTarget =
  (deps: Deps) =>
  ({ caller, params }: Pick<ApiRequest, 'caller' | 'params'>) =>
    showKeyOfTenant(deps, caller.tenant, params['keyId'] ?? '')

/** API keys of one environment: list, get, recent use, create, update, rotate, revoke. */
export function keyRoutes(deps: Deps): ConsoleRoute[] {
  const target = keyTarget(deps)

  const list = consoleRoute('GET', '/keys', 'list', 'keys.read', {
    query: keyListQuery,
    answers: { 200: { schema: cursorListOf(keySchema) } },
    handle: async ({ caller: { tenant }, query: { limit, cursor, q, ...filter } }) => {
      const page = await listKeysByCursor(deps, tenant, { limit, cursor, filter: { ...filter, text: q } })
      return { body: presentCursorPage(page, presentNamedKey) }
    },
  })

  const get = consoleRoute('GET', '/keys/:keyId', 'cheap', 'keys.read', {
    target,
    answers: { 200: { schema: dataOf(keySchema) } },
    handle: ({ target: key }) => withData(presentNamedKey(key)),
  })

  const recent = consoleRoute('GET', '/keys/:keyId/recent-use', 'cheap', 'keys.read', {
    target,
    answers: { 200: { schema: dataOf(recentUse) } },
    handle: async ({ target: { key } }) => withData(presentRecentUse(await showRecentUse(deps, key))),
  })

  const create = consoleRoute('POST', '/keys', 'write', 'keys.create', {
    needsPassword: true,
    body: newKeyBody,
    answers: { 201: { schema: dataOf(createdKey) } },
    handle: async ({ caller, body, answerOnce }) => {
      const { tenant, actor } = caller
      const owner = await ownerOf(deps, caller, body)
      const present = ({ key, secret }: IssuedKey) => presentNewKey(fresh(key, owner?.name ?? null), secret)
      const input: ApiKeyInput = {
        ...(camelCased(body) as ApiKeyInput),
        ...(owner && { userId: owner.id }),
      }
      return answerOnce(presented(present, 201), (kept) => createApiKey(deps, tenant, actor, input, kept))
    },
  })

  const update = consoleRoute('PATCH', '/keys/:keyId', 'write', 'keys.update', {
    target,
    body: keyChangeBody,
    answers: { 200: { schema: dataOf(keySchema) } },
    handle: async ({ caller: { tenant, actor, session }, target: found, body, header }) => {
      const { id } = found.key
      const requireVersion = ifMatch(header('If-Match'))
      const changes = camelCased(body)
      const changed = await updateApiKey(deps, tenant.companyId, actor, id, changes, (locked, fields) => {
        requireVersion({ version: keyVersion(locked) })
        if (widens(locked, fields)) requirePassword(session)
      })
      return withData(presentNamedKey({ ...found, ...changed }))
    },
  })

  const rotate = consoleRoute('POST', '/keys/:keyId/rotate', 'write', 'keys.rotate', {
    needsPassword: true,
    target,
    body: rotateBody,
    answers: { 201: { schema: dataOf(rotatedKey) } },
    handle: ({ caller: { tenant, actor }, target: old, body, answerOnce }) => {
      const present = (rotation: Rotation) => {
        const replaces = { id: rotation.oldKeyId, expiresAt: rotation.oldExpiresAt }
        const key = { ...fresh(rotation.key, old.userName), replaces }
        return { ...presentNewKey(key, rotation.secret), ...presentEndOfKey(rotation) }
      }
      const rotation = { grace: body.grace, expiresAt: body.expires_at }
      return answerOnce(presented(present, 201), (kept) =>
        rotateApiKey(deps, tenant.companyId, actor, old.key.id, rotation, kept),
      )
    },
  })

  const revoke = consoleRoute('POST', '/keys/:keyId/revoke', 'write', 'keys.revoke', {
    needsPassword: true,
    target,
    answers: { 200: { schema: dataOf(keySchema) } },
    handle: async ({ caller: { tenant, actor }, target: found }) => {
      const revoked = await revokeApiKey(deps, tenant.companyId, actor, found.key.id)
      return withData(presentNamedKey({ ...found, ...revoked }))
    },
  })

  return [list, get, recent, create, update, rotate, revoke]
}

/** A Personal key belongs to the caller unless the body names another user. A Shared key has no user. */
async function ownerOf(
  deps: Deps,
  { tenant, session }: ConsoleCaller,
  { type, user_id: userId }: NewKeyBody,
): Promise<{ readonly id: string; readonly name: string } | undefined> {
  if (type === 'Shared') return undefined
  return userId === undefined ? session.user : showUser(deps, tenant.companyId, userId)
}

/** A key that was just issued: active, and not used yet. */
const fresh = (key: IssuedKey['key'], userName: string | null): NamedKey => ({
  key,
  userName,
  replaces: null,
  state: 'active' as const,
  usage: summariseUsage([], key.createdAt),
})
