import { ApiError } from '../errors.ts'

/** OWASP ASVS 5.0, 6.2: at least 8 characters, no composition rules; an upper bound so that hashing stays cheap. */
const SHORTEST_PASSWORD = 8
const LONGEST_PASSWORD_BYTES = 1_024

/**
 * Checks a new password.
 *
 * @param field how the caller named it
 * @param isCommon whether it is among the passwords that many people have, in lower case
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

const invalid = (message: string) => new ApiError('VALIDATION_ERROR', message)
