import { expect } from 'chai'
import { attemptCursor } from '../../../../src/domain/delivery/lists.ts'
import { KEPT_BODIES } from '../../../../src/domain/delivery/delivery.ts'
import { newId } from '../../../../src/domain/ids.ts'
import { getDelivery, listAttempts, listLatestAttempts } from '../../../../src/operations/delivery/read.ts'
import { refusalOf, useOperations } from '../../../support/use-operations.ts'

describe('reading deliveries', () => {
  const its = useOperations()
  const { tenant, create } = its
  const get = (webhookId: string, id: string, owner = tenant()) => getDelivery(its.deps, owner, webhookId, id)

  /** A delivery of its own webhook with this many attempts. Its row contains the body of the latest attempt. */
  async function attempted(attempts: number) {
    const { webhook } = await create()
    const columns = { attempts, max_attempts: attempts + 1, response_body: `body ${attempts}` }
    const [id = ''] = await its.insertOpen(webhook.id, columns)
    for (let number = 1; number <= attempts; number++) {
      const made = { delivery_id: id, number, started_at: new Date(), duration_ms: 5, response_code: 500 }
      const response_body = number < attempts ? `body ${number}` : null
      await its.db('attempts').insert({ ...made, trigger: 'scheduled', response_body })
    }
    return { webhook, id, delivery: (await get(webhook.id, id)).delivery }
  }
  const numbers = (attempts: readonly { number: number }[]) => attempts.map(({ number }) => number)

  it('finds a delivery under its own webhook and for its tenant alone, the webhook first', async () => {
    const { webhook, id } = await attempted(0)
    const other = (await create()).webhook
    expect(await get(webhook.id, id)).to.deep.include({ webhook })
    const refused = { of: 'NOT_FOUND: Delivery not found.', under: 'NOT_FOUND: Webhook not found.' }
    for (const wanted of [newId('delivery'), 'del_1', `${id} `])
      expect(await refusalOf(get(webhook.id, wanted)), wanted).to.equal(refused.of)
    expect(await refusalOf(get(other.id, id))).to.equal(refused.of)
    expect(await refusalOf(get(newId('webhook'), id))).to.equal(refused.under)
    for (const foreign of its.foreign())
      expect(await refusalOf(get(webhook.id, id, foreign))).to.equal(refused.under)
  })

  it('pages through all attempts by cursor, newest first, up to the end, for its tenant alone, and refuses a cursor of another delivery, and what is none', async () => {
    const { delivery } = await attempted(5)
    const pages: number[][] = []
    let cursor: string | undefined
    do {
      const page = await listAttempts(its.deps, tenant(), delivery, { limit: 2, cursor })
      pages.push(numbers(page.items))
      cursor = page.nextCursor ?? undefined
    } while (cursor)
    expect(pages).to.deep.equal([[5, 4], [3, 2], [1]])
    for (const foreign of its.foreign()) {
      expect(await listLatestAttempts(its.deps, foreign, delivery)).to.deep.equal([])
      expect((await listAttempts(its.deps, foreign, delivery, { limit: 5 })).items).to.deep.equal([])
    }
    const other = await attempted(3)
    for (const cursor of [attemptCursor(other.id, 2), attemptCursor(delivery.id, 6), '', 'nonsense']) {
      const refused = listAttempts(its.deps, tenant(), delivery, { limit: 2, cursor })
      expect(await refusalOf(refused), cursor).to.match(/^VALIDATION_ERROR: "cursor" is not one of this/)
    }
  })

  it('shows the latest attempts whose bodies are kept, the oldest of them first', async () => {
    const made = KEPT_BODIES + 2
    const { delivery } = await attempted(made)
    const latest = await listLatestAttempts(its.deps, tenant(), delivery)
    expect(numbers(latest)).to.deep.equal(Array.from({ length: KEPT_BODIES }, (_, index) => index + 3))
    const bodies = [latest[0], latest.at(-1)].map((attempt) => attempt?.responseBody)
    expect(bodies).to.deep.equal(['body 3', `body ${made}`])
    const { items } = await listAttempts(its.deps, tenant(), delivery, { limit: made })
    expect(items.at(-1)).to.include({ number: 1, responseBody: null })
  })
})
