import Joi from 'joi'
import { orNull } from '../api/schemas/common.ts'
import { MAIL_STATES } from '../domain/mail/mail.ts'
import {
  all,
  count,
  flag,
  objectOf,
  person,
  text,
  textOrNull,
  texts,
  time,
  userFields,
} from './answer-fields.ts'
import { userRole } from './schemas.ts'

/** The answers about the users of a company, and about invitations. */

const listedUserFields = { ...userFields, created_at: time, is_self: flag }

export const userSchema = objectOf(listedUserFields).id('User')
export const invitationSchema = objectOf({
  ...all(text, 'id', 'email'),
  role: userRole.id('Role'),
  allowed_scopes: texts,
  invited_by: person,
  ...all(time, 'created_at', 'expires_at'),
  is_expired: flag,
  mail: orNull(Joi.string().valid(...MAIL_STATES))
    .required()
    .description('null: it went by no mail, or nobody knows any more.'),
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
