import { withOtherApi } from '../other-api.mjs'

const CALLS = 300
/** The default of DENIED_CALLS_PER_MINUTE. */
const PER_MINUTE = 60

export const row = {
  id: 22,
  party: '300 calls that are refused (405), at a limit of 60 a minute',
  before: 'none of 300 limited',
  bound: 'at most 60, then 429 with Retry-After; other calls go on',
  /** @param {import('../stack.mjs').HostileStack} stack */
  run: (stack) =>
    withOtherApi(stack, { name: 'bench_denied_calls' }, async ({ url, tenant }) => {
      const { key, api } = await tenant()
      const allowed = (await callMany(CALLS, url, { key, method: 'GET' })).get(200) ?? 0
      const startedMs = performance.now()
      const answers = await callMany(CALLS, url, { key, method: 'DELETE' })
      const seconds = (performance.now() - startedMs) / 1000
      const [denied, limited] = [answers.get(405) ?? 0, answers.get(429) ?? 0]
      const { status } = await api('GET', '/api-v1-webhooks')
      return {
        quiet: `${allowed} of ${CALLS} allowed calls answered 200`,
        attacked: `${limited} of ${CALLS} limited`,
        // On a slow machine a second minute may begin.
        isWithin:
          allowed === CALLS &&
          denied + limited === CALLS &&
          denied <= PER_MINUTE * Math.ceil(1 + seconds / 60) &&
          status === 200,
        note: `${denied} were answered 405, ${limited} 429 with Retry-After; an allowed call of the same key afterwards ${status}`,
      }
    }),
}

/**
 * Calls one after the other.
 *
 * @param {number} count
 * @param {string} url of the api
 * @param {{ key: string, method: string }} call
 * @returns {Promise<Map<number, number>>} answers by status; a 429 without Retry-After counts as 0
 */
async function callMany(count, url, { key, method }) {
  /** @type {Map<number, number>} */
  const answers = new Map()
  for (let n = 0; n < count; n++) {
    const response = await fetch(`${url}/api-v1-webhooks`, {
      method,
      headers: { authorization: `Bearer ${key}` },
    })
    await response.arrayBuffer()
    const isComplete = response.status !== 429 || Number(response.headers.get('retry-after')) > 0
    const status = isComplete ? response.status : 0
    answers.set(status, (answers.get(status) ?? 0) + 1)
  }
  return answers
}
