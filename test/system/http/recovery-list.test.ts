import { expect } from 'chai'
import type { Json } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'
import { createTestWebhook, type TestWebhook } from '../../support/webhooks.ts'

const SINCE = '2020-01-01T00:00:00Z'

describe('the list of the recoveries of a webhook', () => {
  const use = useStack('quiet')
  const path = ({ id }: TestWebhook) => `/api-v1-webhooks/${id}`
  const list = async (webhook: TestWebhook, query = ''): Promise<Json> => {
    const answer = await use.tenant.request('GET', `${path(webhook)}/recoveries${query}`)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    return answer.body
  }

  /** Begins recoveries one after the other, each cancelled before the next, and gives their ids, the newest first. */
  async function recover(webhook: TestWebhook, times: number): Promise<string[]> {
    const ids: string[] = []
    for (let number = 0; number < times; number++) {
      const { body } = await use.tenant.request('POST', `${path(webhook)}/recover`, { since: SINCE })
      ids.unshift(body.data.id as string)
      if (number < times - 1) await use.tenant.request('DELETE', `${path(webhook)}/recoveries/${ids[0]}`)
    }
    return ids
  }

  // decision: The list of recoveries
  it('begins with the newest, which alone may run, and goes on by cursor', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    const other = await createTestWebhook(use.stack, use.tenant)
    const ids = await recover(webhook, 3)
    await recover(other, 1)
    const { data, pagination } = await list(webhook, '?limit=2')
    expect(data.map(({ id, status }: Json) => [id, status])).to.deep.equal([
      [ids[0], 'running'],
      [ids[1], 'cancelled'],
    ])
    const shown = await use.tenant.request('GET', `${path(webhook)}/recoveries/${ids[0]}`)
    expect(data[0]).to.deep.equal(shown.body.data)
    const rest = await list(webhook, `?limit=2&cursor=${pagination.next_cursor as string}`)
    expect(rest.data.map(({ id }: Json) => id)).to.deep.equal([ids[2]])
    expect(rest.pagination).to.deep.equal({ limit: 2, has_more: false, next_cursor: null })
    const wrong = await use.tenant.request(
      'GET',
      `${path(other)}/recoveries?cursor=${pagination.next_cursor as string}`,
    )
    expect([wrong.status, wrong.body.error.code]).to.deep.equal([400, 'VALIDATION_ERROR'])
  })

  it('is empty before the first one, and 404 for everybody else', async () => {
    const webhook = await createTestWebhook(use.stack, use.tenant)
    expect((await list(webhook)).data).to.deep.equal([])
    const stranger = await use.stack.tenant()
    const answer = await stranger.request('GET', `${path(webhook)}/recoveries`)
    expect([answer.status, answer.body.error.code]).to.deep.equal([404, 'NOT_FOUND'])
  })
})
