import { expect } from 'chai'
import { describeError } from '../../../src/process/log.ts'

describe('what the log says of an error', () => {
  it('names a database error by its code and never quotes its statement', () => {
    const error = Object.assign(new Error("insert into `webhooks` values ('canary')"), {
      ...{ code: 'ER_DUP_ENTRY', errno: 1062, sqlState: '23000', sql: "insert … 'canary'" },
    })
    const described = describeError(error)
    expect(described).to.include({
      code: 'ER_DUP_ENTRY',
      errno: 1062,
      message: 'database error ER_DUP_ENTRY',
    })
    expect(JSON.stringify(described)).to.not.include('canary')
  })

  it('tells the cause of an error', () => {
    const error = new Error('outside', { cause: new Error('inside') })
    expect(describeError(error)['cause']).to.include({ message: 'inside' })
  })
})
