import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { ATTEMPT_ERRORS } from '../../../src/domain/delivery/outcome.ts'
import { curlText } from '../../../web/src/deliveries/curl.ts'
import { isFiltered, readFilters, toQuery } from '../../../web/src/deliveries/filters.ts'
import { stepsOf } from '../../../web/src/deliveries/steps.ts'
import { verifySignature } from '../../../web/src/deliveries/verify-signature.ts'
import { causeOf, causeOfCode } from '../../../web/src/common/format/attempt-hints.ts'

describe('why an attempt failed, in plain words', () => {
  it('has a cause and a hint for every code of the service', () => {
    for (const error of ATTEMPT_ERRORS) {
      const isOfBody = error.startsWith('body_')
      const cause = causeOf({ response_code: isOfBody ? 500 : null, error })
      expect(cause?.cause, error).to.not.include(error)
      expect(cause?.hint, error).to.match(/\.$/)
    }
  })

  it('has one for every class of status, and none for a plain success', () => {
    for (const status of [300, 400, 401, 403, 404, 405, 410, 413, 429, 500, 599])
      expect(causeOf({ response_code: status, error: null })?.cause).to.include(String(status))
    expect(causeOf({ response_code: 204, error: null })).to.equal(undefined)
    expect(causeOf({ response_code: 200, error: 'body_cut' })?.hint).to.include('content-length')
  })

  it('says where a redirect leads, and reads the codes of health', () => {
    const redirect = causeOf({ response_code: 301, error: null, location: 'https://new.example.com/' })
    expect(redirect?.cause).to.include('https://new.example.com/')
    expect(causeOfCode('http_503')?.cause).to.include('503')
    expect(causeOfCode('dns_error')?.cause).to.include('did not resolve')
  })
})

describe('the copy of a request', () => {
  it('is one command, whatever quotes the payload has', () => {
    const text = curlText({
      url: 'https://hooks.example.com/a?b=1&c=2',
      eventId: 'evt_1',
      body: `{"name":"O'Hara $(id)"}`,
      headerNames: ['authorization'],
    })
    expect(text).to.equal(
      [
        "curl -X POST 'https://hooks.example.com/a?b=1&c=2' \\",
        "  -H 'content-type: application/json' \\",
        "  -H 'webhook-id: evt_1' \\",
        "  -H 'authorization: <your value>' \\",
        String.raw`  --data-binary '{"name":"O'\''Hara $(id)"}'`,
      ].join('\n'),
    )
  })
})

describe('the check of a signature in the browser', () => {
  const secret = `whsec_${Buffer.from('a secret of twenty-four.').toString('base64')}`
  const sent = { eventId: 'evt_1', timestamp: '1768469401', body: '{"id":"evt_1","name":"Zoë"}' }
  const mac = createHmac('sha256', Buffer.from('a secret of twenty-four.'))
    .update(`${sent.eventId}.${sent.timestamp}.${sent.body}`)
    .digest('base64')

  it('accepts ours, also among others', async () => {
    const verdict = await verifySignature({ ...sent, secret, signatures: `v1,AAAA v1,${mac}` })
    expect(verdict.isOurs).to.equal(true)
  })

  it('refuses another payload, another secret, and what is no signature', async () => {
    const wrong = [
      { ...sent, secret, signatures: `v1,${mac}`, body: '{}' },
      { ...sent, secret: `whsec_${Buffer.from('another').toString('base64')}`, signatures: `v1,${mac}` },
      { ...sent, secret, signatures: mac },
      { ...sent, secret: 'secret', signatures: `v1,${mac}` },
      { ...sent, secret, signatures: `v1,${mac}`, timestamp: 'today' },
    ]
    for (const signed of wrong) expect((await verifySignature(signed)).isOurs).to.equal(false)
  })
})

describe('the filters of deliveries', () => {
  const filtersOf = (text: string) => {
    const params = new URLSearchParams(text)
    return readFilters((name) => params.get(name) ?? '')
  }

  it('come from the address, and a span becomes a moment', () => {
    const filters = filtersOf('status=retrying,failed&within=24h')
    expect(isFiltered(filters)).to.equal(true)
    expect(toQuery(filters, new Date('2026-01-15T12:00:00.000Z'))).to.deep.equal({
      status: 'retrying,failed',
      event_type: '',
      response: '',
      event_id: '',
      payload: 'false',
      created_after: '2026-01-14T12:00:00.000Z',
    })
    expect(isFiltered(filtersOf('tail=on'))).to.equal(false)
  })

  it('take the id of an event or of a delivery', () => {
    const queryFor = (id: string) => toQuery(filtersOf(`id=${id}`), new Date(0))
    expect(queryFor('evt_1')).to.include({ event_id: 'evt_1' }).and.not.to.have.property('delivery_id')
    expect(queryFor('del_1')).to.include({ delivery_id: 'del_1' }).and.not.to.have.property('event_id')
  })

  it('take times of the reader, where these are chosen', () => {
    const times = 'after=2026-01-14T09:00:00.000Z&before=2026-01-14T10:00:00.000Z'
    const own = toQuery(filtersOf(`within=own&${times}`), new Date('2026-01-15T12:00:00.000Z'))
    expect(own).to.include({
      created_after: '2026-01-14T09:00:00.000Z',
      created_before: '2026-01-14T10:00:00.000Z',
    })
    const hour = toQuery(filtersOf(`within=1h&${times}`), new Date('2026-01-15T12:00:00.000Z'))
    expect(hour).to.include({ created_after: '2026-01-15T11:00:00.000Z' })
    expect(hour).to.not.have.property('created_before')
  })
})

describe('the steps of an attempt', () => {
  it('are those that happened, and the rest of the time', () => {
    const times = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: 30, duration_ms: 50 }
    expect(stepsOf(times)).to.deep.equal([
      { name: 'first byte', ms: 30 },
      { name: 'rest', ms: 20 },
    ])
    expect(stepsOf({ ...times, first_byte_ms: null })).to.deep.equal([])
  })
})
