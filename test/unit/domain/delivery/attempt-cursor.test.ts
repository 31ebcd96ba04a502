import { expect } from 'chai'
import { attemptCursor, readAttemptCursor } from '../../../../src/domain/delivery/attempt-cursor.ts'

describe('a cursor of attempts', () => {
  it('is read back as the number that it was made from, for its own delivery alone', () => {
    const cursor = attemptCursor('del_1', 41)
    expect(cursor).to.match(/^[\w-]+$/)
    expect(readAttemptCursor('del_1', cursor)).to.equal(41)
    expect(readAttemptCursor('del_2', cursor)).to.equal(undefined)
  })

  it('is refused in any other form that decodes to the same number', () => {
    const cursor = attemptCursor('del_1', 41)
    const spelt = (text: string) => Buffer.from(text).toString('base64url')
    for (const other of [
      '',
      `${cursor}=`,
      ` ${cursor}`,
      spelt('041.del_1'),
      spelt('0.del_1'),
      spelt('-1.del_1'),
    ]) {
      expect(readAttemptCursor('del_1', other), other).to.equal(undefined)
    }
  })
})
