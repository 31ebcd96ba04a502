import { expect } from 'chai'
import { ATTEMPT_ERRORS } from '../../../../src/domain/delivery/outcome.ts'

describe('attempt errors', () => {
  it('are distinct short codes that fit a narrow column', () => {
    expect(new Set(ATTEMPT_ERRORS).size).to.equal(ATTEMPT_ERRORS.length)
    for (const code of ATTEMPT_ERRORS) expect(code).to.match(/^[a-z_]{4,32}$/)
  })
})
