import { ApiError } from '../../src/domain/errors.ts'

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
