import { expect } from 'chai'
import { PageHolds } from '../../../web/src/common/session/page-holds.ts'

describe('what holds a page of the console', () => {
  it('is the dialog on top, and once that has closed the form behind it', () => {
    const holds = new PageHolds()
    const asked: string[] = []
    holds.add({ href: '/', onTry: () => asked.push('form') })
    const close = holds.add({ href: '/', onTry: () => asked.push('dialog') })
    holds.attempt(() => asked.push('left'))
    close()
    holds.attempt(() => asked.push('left'))
    expect(asked).to.deep.equal(['dialog', 'form'])
  })
})
