import { expect } from 'chai'
import { describeRefusal, faultsByField } from '../../../web/src/common/api/describe-refusal.ts'
import { ApiRefusal, ConnectionLost, readRefusal } from '../../../web/src/common/api/refusal.ts'

const refusal = (status: number, code: string, message = 'No.') =>
  new ApiRefusal({ status, code, message, requestId: 'req-1', retryAfterSeconds: null })

describe('what the console says about refusals', () => {
  it('shows the request id of a fault, and of nothing else', () => {
    expect(describeRefusal(refusal(500, 'INTERNAL_ERROR')).requestId).to.equal('req-1')
    expect(describeRefusal(refusal(400, 'VALIDATION_ERROR')).requestId).to.equal(null)
  })

  it('says of a lost connection that nothing typed is lost', () => {
    expect(describeRefusal(new ConnectionLost(undefined)).message).to.include('still here')
  })

  it('says of too many requests which limit it was, and when to try again', () => {
    const limited = { message: 'This session may make 600 requests a minute.', requestId: 'req-1' }
    const error = new ApiRefusal({ status: 429, code: 'RATE_LIMITED', ...limited, retryAfterSeconds: 30 })
    expect(describeRefusal(error)).to.deep.equal({
      ...{ title: 'Too many requests', message: limited.message, requestId: null, retryAfterSeconds: 30 },
    })
  })

  it('puts the faults beside the fields that the api names', () => {
    const error = refusal(400, 'VALIDATION_ERROR', '"name" is required. "headers.X" is reserved')
    expect(faultsByField(error, ['name', 'headers'])).to.deep.equal({
      name: '"name" is required',
      headers: '"headers.X" is reserved',
    })
    expect(faultsByField(error, ['url'])).to.deep.equal({})
    expect(faultsByField(refusal(409, 'CONFLICT', '"name" is taken'), ['name'])).to.deep.equal({})
  })

  it('reads when to come back, and an answer that is not ours', async () => {
    const limited = await readRefusal(
      new Response(JSON.stringify({ error: { code: 'RATE_LIMITED', message: 'Slow down.' } }), {
        status: 429,
        headers: { 'Retry-After': '30' },
      }),
    )
    expect(limited.retryAfterSeconds).to.equal(30)
    const proxy = await readRefusal(new Response('<h1>Bad gateway</h1>', { status: 502 }))
    expect(proxy).to.include({ status: 502, code: 'UNKNOWN', requestId: null })
  })
})
