import { KEY_STATES, KEY_TYPES, type ApiKeyView } from '../../domain/key/key.ts'
import { ROTATION_GRACES } from '../../domain/key/rotation.ts'
import { revokeApiKey, updateApiKey, type ApiKeyUpdate } from '../../operations/key/change.ts'
import { rotateApiKey } from '../../operations/key/rotate.ts'
import { createApiKey, type ApiKeyInput } from '../../operations/key/create.ts'
import { listApiKeys, showApiKey, showRecentUse } from '../../operations/key/read.ts'
import {
  presentApiKey,
  presentEndOfKey,
  presentIssuedKey,
  presentRecentUse,
} from '../../presenters/api-keys.ts'
import { presentWholeList } from '../../presenters/pagination.ts'
import { companyOfKey } from '../../operations/operator/across-companies.ts'
import { inGroup } from '../command.ts'
import { company, environment as env, SCOPE_LIST, tenantOf } from '../options.ts'
import { filterBy, parseBoolean, parseChoice, parseList, parseTime } from '../values.ts'

const SHOWN_ONCE = 'Keep the key now: it is stored as a hash and cannot be shown again.'

const id = { value: 'ID', help: 'The key’s id, key_….', isRequired: true } as const
const allow = { value: 'CIDR,…', help: 'IP addresses and CIDR ranges; "" permits every address.' }
const scopes = { value: 'SCOPE,…', help: 'Such as read:webhooks,write:webhooks: see below.' }
const description = { value: 'TEXT', help: 'What the key is for.' }

export const keyCommands = inGroup('API keys', [
  {
    name: 'key create',
    summary: 'Create an API key and show it, once.',
    options: {
      company,
      name: { value: 'NAME', help: 'Name of the key.', isRequired: true },
      scopes: { ...scopes, isRequired: true },
      user: { value: 'ID', help: 'The user of a Personal key.' },
      type: { value: 'TYPE', help: 'Personal (default with --user) or Shared.' },
      env,
      'expires-at': { value: 'TIME', help: 'ISO 8601, in the future; without it the key does not expire.' },
      allow,
      description,
    },
    details: SCOPE_LIST,
    note: SHOWN_ONCE,
    run: async ({ deps, actor }, values) => {
      const { user: userId, type, allow, description, 'expires-at': expiry } = values
      const tenant = tenantOf(values)
      const input: ApiKeyInput = {
        name: values.name,
        scopes: parseList('scopes', values.scopes),
        ...(userId !== undefined && { userId }),
        ...(type !== undefined && { type: parseChoice('type', type, KEY_TYPES) }),
        ...(expiry !== undefined && { expiresAt: parseTime('expires-at', expiry) }),
        ...(allow !== undefined && { ipAllowlist: parseList('allow', allow) }),
        ...(description !== undefined && { description }),
      }
      const { key, secret } = await createApiKey(deps, tenant, actor, input)
      return presentIssuedKey(key, secret)
    },
  },
  {
    name: 'key list',
    summary: 'List the keys of a company, of both environments.',
    options: {
      company,
      state: { value: 'STATE', help: `Only keys in one state: ${KEY_STATES.join(', ')}.` },
    },
    columns: 'id, name, prefix, state, type, environment, expires_at, last_used_at, request_count',
    run: async ({ deps }, values) => {
      const wanted = filterBy(values, 'state', KEY_STATES)
      const keys = await listApiKeys(deps, values.company)
      const shown = keys.filter(({ state }) => wanted === undefined || state === wanted)
      return presentWholeList(shown, present)
    },
  },
  {
    name: 'key show',
    summary: 'Show the record of a key, and what it was used for.',
    options: { id },
    columns:
      'date, requests, responses_2xx, responses_4xx, responses_5xx, method, path, address, last_used_at',
    deepLists: ['usage.daily', 'recent_use.daily', 'recent_use.endpoints', 'recent_use.addresses'],
    run: async ({ deps }, { id: keyId }) => {
      const shown = await showApiKey(deps, await companyOfKey(deps, keyId), keyId)
      return { ...present(shown), recent_use: presentRecentUse(await showRecentUse(deps, shown.key)) }
    },
  },
  {
    name: 'key update',
    summary: 'Change a key. Holds from the next request on.',
    options: {
      id,
      active: { value: 'BOOLEAN', help: 'false disables the key, true enables it again.' },
      allow,
      name: { value: 'NAME', help: 'New name.' },
      scopes,
      description,
      'expires-at': { value: 'TIME', help: 'ISO 8601, in the future. Not for a key in rotation.' },
    },
    details: SCOPE_LIST,
    run: async ({ deps, actor }, values) => {
      const { id: keyId, active, allow, name, scopes, description, 'expires-at': expiry } = values
      const changes: ApiKeyUpdate = {
        ...(active !== undefined && { isActive: parseBoolean('active', active) }),
        ...(allow !== undefined && { ipAllowlist: parseList('allow', allow) }),
        ...(name !== undefined && { name }),
        ...(scopes !== undefined && { scopes: parseList('scopes', scopes) }),
        ...(description !== undefined && { description }),
        ...(expiry !== undefined && { expiresAt: parseTime('expires-at', expiry) }),
      }
      return present(await updateApiKey(deps, await companyOfKey(deps, keyId), actor, keyId, changes))
    },
  },
  {
    name: 'key revoke',
    summary: 'Revoke a key for good.',
    options: { id },
    run: async ({ deps, actor }, { id: keyId }) =>
      present(await revokeApiKey(deps, await companyOfKey(deps, keyId), actor, keyId)),
  },
  {
    name: 'key rotate',
    summary: 'Issue a replacement key and let the key expire after a grace period.',
    options: {
      id,
      grace: { value: 'GRACE', help: '1h, 6h, 24h, 48h or 7d.', isRequired: true },
      'expires-at': {
        value: 'TIME',
        help: 'When the new key expires: ISO 8601, in the future, or never. Default: as long from now as the old key had.',
      },
    },
    note: SHOWN_ONCE,
    run: async ({ deps, actor }, { id: keyId, ...values }) => {
      const grace = parseChoice('grace', values.grace, ROTATION_GRACES)
      const rotation = { grace, expiresAt: replacementExpiryOf(values['expires-at']) }
      const companyId = await companyOfKey(deps, keyId)
      const rotated = await rotateApiKey(deps, companyId, actor, keyId, rotation)
      return { ...presentIssuedKey(rotated.key, rotated.secret), ...presentEndOfKey(rotated) }
    },
  },
])

const present = ({ key, state, usage }: ApiKeyView) => presentApiKey(key, state, usage)

/** undefined: the replacement key gets the lifetime of the old key. null: it does not expire. */
function replacementExpiryOf(text: string | undefined): Date | null | undefined {
  if (text === undefined) return undefined
  return text === 'never' ? null : parseTime('expires-at', text)
}
