import { expect } from 'chai'
import type { TestTenant } from './tenants.ts'

/**
 * Sends a request that has to be refused: with this status and code, in exactly the envelope of the spec.
 *
 * @returns the message
 */
export async function expectRefusal(
  tenant: TestTenant,
  [method, path, body]: readonly [method: string, path: string, body?: unknown],
  [status, code]: readonly [status: number, code: string],
): Promise<string> {
  const answer = await tenant.request(method, path, body)
  expect({ status: answer.status, code: answer.body.error.code }).to.deep.equal({ status, code })
  expect(Object.keys(answer.body)).to.deep.equal(['error'])
  expect(Object.keys(answer.body.error)).to.have.members(['code', 'message'])
  return answer.body.error.message
}
