import type { Scope } from '../key/scopes.ts'
import { invalid } from '../errors.ts'

export const USER_ROLES = ['admin', 'member'] as const

export type UserRole = (typeof USER_ROLES)[number]

/** A person of a company, with the argon2id hash of the password. */
export type User = {
  readonly id: string
  readonly companyId: string
  readonly email: string
  readonly name: string
  readonly passwordHash: string
  readonly role: UserRole
  /** The write scopes that an admin allowed a member for the member's own Personal keys. An admin needs none. */
  readonly allowedScopes: readonly Scope[]
  readonly leftAt: Date | null
  readonly createdAt: Date
}

/** An email in the form in which it is stored and looked up. Case, and blanks around the email, are ignored. */
export const normalEmail = (email: string): string => email.trim().toLowerCase()

const EMAIL = /^[^\s@\0]+@[^\s@\0]+$/u
const EMAIL_LENGTH = 255

/** Checks the email of a new user. Returns it as it is stored. @throws ApiError VALIDATION_ERROR */
export function checkEmail(text: string): string {
  const email = normalEmail(text)
  if (EMAIL.test(email) && email.length <= EMAIL_LENGTH) return email
  throw invalid('"email" must be an email address.')
}

/** OWASP ASVS 5.0, 6.2: at least 8 characters, and no composition rules. The upper limit keeps the hash cheap. */
const SHORTEST_PASSWORD = 8
const LONGEST_PASSWORD_BYTES = 1_024

/**
 * Checks a new password.
 *
 * @param field the caller's name for the field
 * @param isCommon whether a password is one of the most common ones. It gets the password in lower case
 * @throws ApiError VALIDATION_ERROR
 */
export function checkPassword(
  password: string,
  isCommon: (password: string) => boolean,
  field = 'password',
): void {
  if (password.length < SHORTEST_PASSWORD) {
    throw invalid(`"${field}" must have at least ${SHORTEST_PASSWORD} characters.`)
  }
  if (Buffer.byteLength(password) > LONGEST_PASSWORD_BYTES) {
    throw invalid(`"${field}" must not be larger than ${LONGEST_PASSWORD_BYTES} bytes.`)
  }
  if (isCommon(password.toLowerCase())) {
    throw invalid(`"${field}" is one of the most common passwords: choose another one.`)
  }
}
