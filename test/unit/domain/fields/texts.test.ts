import { expect } from 'chai'
import { camelCased, snakeCase, snakeCased } from '../../../../src/domain/fields/case.ts'
import { messageOf } from '../../../../src/domain/fields/fault-message.ts'

describe('the message of several faults', () => {
  const long = (letter: string) => letter.repeat(1_000)

  it('fills 500 characters: what short faults do not need goes to the long ones', () => {
    for (const faults of [[long('a')], [long('a'), 'short'], ['a'.repeat(248), long('b')]]) {
      expect(messageOf(faults)).to.have.length(500)
    }
    expect(messageOf([long('a'), 'short'])).to.match(/^a+…a+\. short\.$/)
    expect(messageOf(['a'.repeat(499)])).to.equal(`${'a'.repeat(499)}.`)
    const many = messageOf(Array.from('abcdefg', long))
    expect(many).to.have.length.within(490, 500)
    expect(many).to.match(/ 2 more faults are not shown\.$/)
  })

  it('is never cut through a character', () => {
    for (const fault of [
      '🎉'.repeat(600),
      `x${'🎉'.repeat(600)}`,
      `${'🎉'.repeat(600)}x`,
      `${'🎉'.repeat(600)}xy`,
    ]) {
      for (const faults of [[fault], [fault, 'x'], [fault, 'xx']]) {
        expect(messageOf(faults)).to.not.match(/\p{Surrogate}/u)
      }
    }
  })
})

describe('names of fields', () => {
  it('are snake_case on the wire, whatever they hold', () => {
    expect(snakeCase('retrySchedule')).to.equal('retry_schedule')
    expect(snakeCased({ isActive: true, maxRetries: { isActive: 1 } })).to.deep.equal({
      is_active: true,
      max_retries: { isActive: 1 },
    })
    expect(camelCased({ is_active: true, max_retries: { is_active: 1 }, x_1: 2 })).to.deep.equal({
      isActive: true,
      maxRetries: { is_active: 1 },
      x_1: 2,
    })
  })
})
