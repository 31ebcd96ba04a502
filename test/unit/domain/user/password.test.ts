import { expect } from 'chai'
import { checkPassword } from '../../../../src/domain/user/password.ts'

describe('new passwords', () => {
  const check = (password: string) => () => checkPassword(password, (text) => text === 'password123')

  // decision: Common passwords
  it('have 8 characters to 1,024 bytes, of any kind, and are not common ones in whatever case', () => {
    for (const password of ['aaaaaaaa', '        ', 'x'.repeat(64), 'x'.repeat(1_024), 'ü'.repeat(512)]) {
      expect(check(password), password).not.to.throw()
    }
    expect(check('aaaaaaa'))
      .to.throw('"password" must have at least 8 characters.')
      .with.property('code', 'VALIDATION_ERROR')
    for (const password of ['x'.repeat(1_025), 'ü'.repeat(513)]) {
      expect(check(password), password).to.throw(/larger than 1024 bytes/)
    }
    expect(check('PassWord123')).to.throw(/most common/)
  })
})
