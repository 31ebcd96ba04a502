import { ApiError } from '../../src/domain/errors.js'

/** `CODE: message` of the refusal a promise ends with; `none` when it does not fail. Any other error is thrown. */
export async function refusalOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise
    return 'none'
  } catch (error) {
    if (error instanceof ApiError) return `${error.code}: ${error.message}`
    throw error
  }
}

/** What a caller adds to a transaction, for a test of what is left when it fails: `CONFLICT: no`. */
export const refuse = (): Promise<never> => Promise.reject(new ApiError('CONFLICT', 'no'))
