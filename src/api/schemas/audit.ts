import Joi from 'joi'
import { AUDIT_ACTION_NAMES } from '../../domain/audit/actions.ts'
import { isActorId, type AuditFilter } from '../../domain/audit/entry.ts'
import { arrayOf, objectOf, time, word, wordOrNull } from './answer-fields.ts'
import { cursorFields, windowOf, withoutPages, type CursorQuery } from './lists.ts'
import { oneOf } from './common.ts'

const named = objectOf({ id: word, name: wordOrNull })

/** An entry of the audit. */
export const auditRecordSchema = objectOf({
  id: word,
  created_at: time,
  actor: named.description(
    'A user or a key; `cli`: the operator; `temporal`: somebody in Temporal; `system`: the service.',
  ),
  action: word.description('What was done, such as `key.rotate`. There may be new ones.'),
  target: named.description('A key, a webhook, a user, an invitation, a delivery or the company.'),
  summary: word.description('Who did what, in a sentence for people, which may change.'),
  changes: arrayOf({ field: word, before: Joi.any(), after: Joi.any() }).description(
    'Which fields were changed, and their values; empty where the entry is about no fields.',
  ),
  details: Joi.object().unknown(true).description('What else is known of it. Never a secret.'),
  ip: wordOrNull.description('From where; null: not known.'),
}).id('AuditEntry')

type AuditQuery = CursorQuery & {
  readonly actor?: string
  readonly action?: string
  readonly target?: string
}

/** The query fields that filter the entries of the audit. */
export const auditFilters = {
  actor: Joi.string()
    .custom((value: string, helpers) =>
      isActorId(value)
        ? value
        : helpers.message({ custom: '{{#label}} must be usr_…, key_…, cli, temporal or system' }),
    )
    .meta({ jsonSchema: { pattern: '^(?:cli|temporal|system|(?:usr|key)_[0-9a-f-]{36})$' } })
    .description('Only what this user or key did, or `cli`, `temporal` or `system`.'),
  action: oneOf(AUDIT_ACTION_NAMES).description('Only what was done of this kind.'),
  target: Joi.string()
    .pattern(/^[a-z]+_[\w-]{1,70}$/)
    .messages({ 'string.pattern.base': '{{#label}} must be an id, such as key_…' })
    .description('Only what was done to the object with this id.'),
}

/** The query of GET /api-v1-audit. */
export const auditListQuery = withoutPages<AuditQuery>({ ...cursorFields, ...auditFilters })

/** The filter in a query. */
export const auditFilterOf = ({
  actor,
  action,
  target,
  ...query
}: Omit<AuditQuery, 'limit'>): AuditFilter => ({
  actor,
  action,
  target,
  ...windowOf(query),
})
