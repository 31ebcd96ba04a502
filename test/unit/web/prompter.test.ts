import { expect } from 'chai'
import { Prompter } from '../../../web/src/common/session/prompter.ts'

describe("the console's questions", () => {
  it('are asked once for all calls that wait for the same', async () => {
    const prompter = new Prompter()
    const waiting = [prompter.signIn(false), prompter.signIn(true)]
    const open = prompter.open.get()
    expect(open?.question).to.equal('signIn')
    open?.answer(true)
    expect(await Promise.all(waiting)).to.deep.equal([true, true])
    expect(prompter.open.get()).to.equal(undefined)
  })

  it('are not asked again by what the page reads itself, once somebody said no', async () => {
    const prompter = new Prompter()
    const first = prompter.signIn(false)
    prompter.open.get()?.answer(false)
    expect(await first).to.equal(false)
    expect(await prompter.signIn(false)).to.equal(false)
    void prompter.signIn(true)
    expect(prompter.open.get()?.question).to.equal('signIn')
  })

  it('are asked again after they were refused', async () => {
    const prompter = new Prompter()
    const first = prompter.password()
    prompter.open.get()?.answer(false)
    expect(await first).to.equal(false)
    const second = prompter.password()
    prompter.open.get()?.answer(true)
    expect(await second).to.equal(true)
  })
})
