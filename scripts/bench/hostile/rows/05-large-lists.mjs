import { compareTimes, inTurns } from '../../phases.mjs'
import { callAtRate, countedAttack, listWebhooksOf, timesOf } from '../calls.mjs'
import { createLargeContacts } from '../large-lists.mjs'
import { withOtherApi } from '../other-api.mjs'

export const row = {
  id: 5,
  party: '4 clients list 100 contacts of 110 KB again and again',
  before: '4/11 -> 287/487 ms',
  bound: 'p50 < 3x',
  /** @param {import('../stack.mjs').HostileStack} stack */
  run: (stack) =>
    withOtherApi(stack, { name: 'bench_large_lists' }, async ({ url: baseUrl, tenant }) => {
      const [{ key }, neighbour] = [await tenant(), await tenant()]
      await createLargeContacts({ baseUrl, key })
      const measure = () => callAtRate(listWebhooksOf(neighbour))
      await measure()
      const attackModule = new URL('../large-lists.mjs', import.meta.url)
      const lists = countedAttack(stack, attackModule, 'listLargePages', { baseUrl, key })
      const { phases, failed } = timesOf(await inTurns({ measure, attack: lists.attack }))
      const compared = compareTimes(phases, 0.5)
      return {
        ...compared,
        isWithin: compared.ratio < 3 && failed === 0,
        note: `a GET of the neighbour, ${failed} failed; the lists were answered ${lists.answers()}`,
      }
    }),
}
