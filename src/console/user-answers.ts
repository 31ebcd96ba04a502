import Joi from 'joi'
import { MAIL_STATES } from '../domain/mail/mail.ts'
import { ENVIRONMENTS } from '../domain/tenant.ts'
import { ACTIONS } from '../domain/user/roles.ts'
import {
  all,
  arrayOf,
  count,
  flag,
  objectOf,
  orNull,
  text,
  textOrNull,
  texts,
  time,
  timeOrNull,
} from '../api/schemas/answer-fields.ts'
import { userRole } from './schemas.ts'

/* The answers about a company's users and invitations, the sign-in and the user's own account. */

/** What every answer shows of a user. */
const userFields = {
  ...all(text, 'id', 'email', 'name'),
  role: userRole.id('Role'),
  allowed_scopes: texts,
  totp_enabled: flag,
  totp_locked_at: timeOrNull.description('Since when wrong codes have locked it.'),
}

/** The user who did what the answer is about. */
export const person = objectOf({ id: text, name: textOrNull })

const listedUserFields = { ...userFields, created_at: time, is_self: flag }

export const userSchema = objectOf(listedUserFields).id('User')
export const invitationSchema = objectOf({
  ...all(text, 'id', 'email'),
  role: userRole.id('Role'),
  allowed_scopes: texts,
  invited_by: person,
  ...all(time, 'created_at', 'expires_at'),
  is_expired: flag,
  mail: orNull(Joi.valid(...MAIL_STATES)).description('null: it went by no mail, or nobody knows any more.'),
}).id('Invitation')
export const issuedLink = objectOf({
  ...all(text, 'id', 'email'),
  expires_at: time,
  link: textOrNull.description('Shown only here; null: it went by mail.'),
}).id('IssuedLink')
export const revokedInvitation = objectOf({ revoked: Joi.valid(true) }).id('RevokedInvitation')
export const companyRules = objectOf({ second_factor_required: flag }).id('CompanyRules')
export const changedUser = objectOf({ ...listedUserFields, disabled_keys: count }).id('ChangedUser')
export const removedUser = objectOf({ removed: Joi.valid(true), revoked_keys: count }).id('RemovedUser')

const settings = objectOf({
  scopes: arrayOf(all(text, 'name', 'description')),
  rotation_graces: arrayOf({ name: text, seconds: Joi.number() }),
  retry_schedule: Joi.array().items(Joi.number()),
  ...all(text, 'key_prefix', 'public_url', 'temporal_namespace'),
  temporal_ui_url: textOrNull,
  sends_mail: flag,
})

const signedOut = objectOf({ state: Joi.valid('signed_out'), ...all(text, 'csrf_token', 'address') })
export const signedIn = objectOf({
  state: Joi.valid('signed_in'),
  ...all(text, 'csrf_token', 'address'),
  user: objectOf({ ...userFields, recovery_codes_left: count }),
  company: objectOf({ ...all(text, 'id', 'name'), suspended_at: timeOrNull, second_factor_required: flag }),
  second_factor_missing: flag.description('Nothing else works until the user has set up a second factor.'),
  environments: Joi.array().items(Joi.valid(...ENVIRONMENTS).id('Environment')),
  permissions: Joi.array().items(Joi.valid(...ACTIONS).id('Permission')),
  grantable_scopes: texts,
  ...all(time, 'reauthenticated_until', 'expires_at', 'idle_expires_at'),
  settings,
}).id('SignedIn')
const chooseCompany = objectOf({
  state: Joi.valid('choose_company'),
  companies: arrayOf(all(text, 'id', 'name')),
})

export const sessionSchema = Joi.alternatives().try(signedOut, signedIn).id('Session')
export const signInResult = Joi.alternatives().try(signedIn, chooseCompany.id('ChooseCompany'))
export const signedOutNow = objectOf({ signed_out: Joi.valid(true) })
export const reauthenticated = objectOf({ reauthenticated_until: time })
export const totpSecret = objectOf(all(text, 'secret', 'otpauth_url')).id('TotpSecret')
export const recoveryCodes = objectOf({ recovery_codes: texts }).id('NewRecoveryCodes')
export const totpRemoved = objectOf({ totp_enabled: Joi.valid(false) }).id('TotpRemoved')
export const ownSessions = objectOf({
  sessions: arrayOf({
    ...all(text, 'id', 'browser'),
    ...all(time, 'began_at', 'seen_at'),
    ip: textOrNull.description('Where it began; null: not known.'),
    is_current: flag,
  }),
}).id('OwnSessions')
export const endedSessions = objectOf({ ended: count }).id('EndedSessions')
export const shownLink = objectOf({
  kind: Joi.valid('invitation', 'password'),
  ...all(text, 'company_name', 'email'),
  expires_at: time,
}).id('ShownLink')
