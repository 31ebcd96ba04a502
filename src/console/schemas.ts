import Joi from 'joi'
import { cursorQuery, date, oneOf, readOnly } from '../api/schemas/common.ts'
import { KEY_STATES, KEY_TYPES, type KeyState, type KeyType } from '../domain/key/key.ts'
import { ROTATION_GRACES, type RotationGrace } from '../domain/key/rotation.ts'
import { SCOPES, type Scope } from '../domain/key/scopes.ts'
import type { CursorRequest } from '../domain/pagination.ts'
import type { LinkInput } from '../operations/sessions/use-link.ts'
import { USER_ROLES } from '../domain/user/user.ts'

/* The bodies and queries of the session API. The operations check most fields. */

/** A body whose fields a route passes on as they are. */
type Body = Record<string, unknown>

/** Longer texts are refused before any other check. */
const text = (maximum = 1_024) => Joi.string().max(maximum)
const password = () => text().required()

export const signInBody = Joi.object<{ email: string; password: string; code?: string; company_id?: string }>(
  {
    email: text(255).required(),
    password: password(),
    code: text(64),
    company_id: text(64),
  },
).id('SignIn')

export const passwordBody = Joi.object<{ password: string }>({ password: password() })

export const changePasswordBody = Joi.object<{ current_password: string; new_password: string }>({
  current_password: password(),
  new_password: text(4_096).required(),
})

export const codeBody = Joi.object<{ code: string }>({ code: text(64).required() })

const allowlist = () =>
  Joi.alternatives().try(Joi.array().items(Joi.string()).max(1_000), Joi.string().allow('').max(100_000))

export const keyType = oneOf(KEY_TYPES)
export const userRole = oneOf(USER_ROLES)

const keyFields = {
  name: Joi.string(),
  description: Joi.string().allow('', null),
  scopes: Joi.array().items(Joi.string()).max(100),
  ip_allowlist: allowlist(),
  expires_at: date().allow(null),
}

export type NewKeyBody = Record<string, unknown> & { type: KeyType; user_id?: string }

export const newKeyBody = Joi.object<NewKeyBody>({
  ...keyFields,
  name: keyFields.name.required(),
  scopes: keyFields.scopes.required(),
  type: keyType.required(),
  user_id: text(64),
}).id('NewKey')

export const keyChangeBody = Joi.object<Body>({ ...keyFields, is_active: Joi.boolean() }).id('KeyChange')

/** Without `expires_at` the replacement key gets the lifetime of the old key. */
export const rotateBody = Joi.object<{ grace: RotationGrace; expires_at?: Date | null }>({
  grace: oneOf(ROTATION_GRACES).required(),
  expires_at: keyFields.expires_at,
})

export const keyListQuery = (cursorQuery() as Joi.ObjectSchema).keys({
  state: oneOf(KEY_STATES),
  type: keyType,
  scope: oneOf(SCOPES),
  q: text(100).allow(''),
}) as Joi.ObjectSchema<CursorRequest & { state?: KeyState; type?: KeyType; scope?: Scope; q?: string }>

export const allowlistTestBody = Joi.object<{ ip_allowlist: string[] | string; address: string }>({
  ip_allowlist: allowlist().required(),
  address: text(100).allow('').required(),
})

const userFields = {
  name: Joi.string(),
  role: userRole,
  allowed_scopes: Joi.array().items(Joi.string()).max(100),
}

export const invitationBody = Joi.object<Body>({
  email: text(255).required(),
  role: userRole.required(),
  allowed_scopes: userFields.allowed_scopes,
}).id('NewInvitation')

export const linkBody = Joi.object<{ token: string }>({ token: text(64).required() })

export const useLinkBody = Joi.object<LinkInput>({
  token: text(64).required(),
  email: text(255).required(),
  password: text(4_096).required(),
  name: text(),
}).id('UseLink')

export const companyRulesBody = Joi.object<{ second_factor_required: boolean }>({
  second_factor_required: Joi.boolean().required(),
})

export const userChangeBody = Joi.object<Body>({
  ...userFields,
  totp_locked_at: Joi.valid(null),
  ...readOnly('id', 'email', 'created_at'),
})
