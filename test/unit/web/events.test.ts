import { expect } from 'chai'
import { EVENT_CATALOG } from '../../../src/domain/event/catalog.ts'
import type { Delivery, EventType } from '../../../web/src/common/api/wire.ts'
import { changesOf, rowsOf, withoutDelivery } from '../../../web/src/events/reach.ts'
import * as content from '../../../web/src/webhooks/test-event/test-content.ts'

describe('what the page of an event shows', () => {
  const delivery = (id: string, webhook_id: string) => ({ id, webhook_id }) as Delivery
  const names = ['whk_1', 'whk_2', 'whk_new'].map((id) => ({ id, name: `name of ${id}`, events: [] }))
  const event = {
    webhooks: [
      { webhook_id: 'whk_1', delivery_id: null, reason: 'filter' },
      { webhook_id: 'whk_2', delivery_id: 'del_1', reason: 'delivered_to' },
    ],
    deliveries: [delivery('del_2', 'whk_2'), delivery('del_1', 'whk_2')],
  } as const

  it('has the webhooks that got it first, each with its latest delivery, and offers the others', () => {
    const rows = rowsOf(event, names)
    const shown = rows.map(({ name, latest, deliveries }) => `${name}: ${latest?.id}, ${deliveries}`)
    expect(shown).to.deep.equal(['name of whk_2: del_2, 2', 'name of whk_1: undefined, 0'])
    expect(withoutDelivery(event, names).map(({ id }) => id)).to.deep.equal(['whk_1', 'whk_new'])
  })

  it('knows the first delivery of a webhook that is not among the latest 100 of the event', () => {
    const webhook = { webhook_id: 'whk_new', delivery_id: 'del_0', reason: 'delivered_to' } as const
    const rows = rowsOf({ ...event, webhooks: [...event.webhooks, webhook] }, names)
    const shown = rows.map(({ webhookId, firstId, latest }) => [webhookId, firstId, latest?.id])
    expect(shown).to.deep.equal([
      ['whk_2', 'del_1', 'del_2'],
      ['whk_new', 'del_0', undefined],
      ['whk_1', null, undefined],
    ])
  })

  it('tells what changed by the former values, whatever a client published', () => {
    const data = { stage: 'won', at: null }
    expect(changesOf({ data, previous: { stage: 'new', at: 1, gone: [1] } })).to.deep.equal([
      { name: 'stage', before: '"new"', after: '"won"' },
      { name: 'at', before: '1', after: 'null' },
      { name: 'gone', before: '[1]', after: undefined },
    ])
    for (const payload of [{}, { data, previous: [] }, { previous: null }])
      expect(changesOf(payload)).to.deep.equal([])
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [n, n]))
    expect(changesOf({ data: 7, previous: many })).to.have.length(50)
  })
})

describe('the content of a test event that a person edits', () => {
  const read = (text: string) => content.readTestContent('deal.stage_changed', text)

  it('begins as the example of its type, which is sent as it is', () => {
    for (const type of EVENT_CATALOG as unknown as readonly EventType[]) {
      const { body, fault } = content.readTestContent(type.name, content.exampleText(type))
      expect(fault, type.name).to.equal(undefined)
      const { id, event, created_at, ...sent } = type.example
      expect(body).to.deep.equal({ event: type.name, ...sent })
    }
  })

  it('is refused at its place where it is no JSON, and in words where it is no event', () => {
    for (const [text, message, offset] of [
      ['{\n  "data": {],\n}', /^Line 2, column 12/, 13],
      ['{"data": {}', /^Line 1, column 12/, 11],
      ['', /^Line 1, column 1/, 0],
      ['[]', /an object/, undefined],
      ['{"data": []}', /data/, undefined],
      ['{"data": {}, "id": "evt_1"}', /"id"/, undefined],
    ] as const) {
      const { fault } = read(text)
      expect(fault?.message, text).to.match(message)
      expect(fault?.offset, text).to.equal(offset)
    }
  })

  it('may be as large as the api takes, and no larger', () => {
    const frame = JSON.stringify({ event: 'deal.stage_changed', data: { text: '' } }).length
    const ofBytes = (bytes: number) => JSON.stringify({ data: { text: 'x'.repeat(bytes - frame) } })
    expect(read(ofBytes(content.TEST_LIMIT_BYTES)).fault).to.equal(undefined)
    expect(read(ofBytes(content.TEST_LIMIT_BYTES + 1)).fault?.message).to.match(/256 KiB/)
  })
})
