import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { readLock, releaseLock, takeLock, writeLock } from '../../scripts/lib/lock.mjs'
import { isRunning, processIdentity } from '../../scripts/lib/process-identity.mjs'
import { startProgram, useTemporaryDirectory } from './support.ts'

describe('the lock of a checkout', () => {
  const dir = useTemporaryDirectory()
  const file = () => path.join(dir.path, 'start.lock')
  const taking = () =>
    startProgram(`
      const { takeLock } = await import('lib/lock.mjs')
      const { isMine } = await takeLock(${JSON.stringify(file())})
      console.log(isMine ? 'mine' : 'taken')
      if (isMine) setInterval(() => {}, 1000)`)

  it('is given to exactly one of several processes that ask at once', async () => {
    const programs = [taking(), taking(), taking()]
    const answers = await Promise.all(programs.map((program) => program.line()))
    expect(answers.sort()).to.deep.equal(['mine', 'taken', 'taken'])
    programs.forEach((program) => program.signal('SIGKILL'))
    await Promise.all(programs.map((program) => program.ended))
    expect(await readdir(dir.path)).to.deep.equal(['start.lock'])
  })

  it('is taken over from a process that was killed, with what it left in it', async () => {
    const first = taking()
    expect(await first.line()).to.equal('mine')
    first.signal('SIGKILL')
    await first.ended
    expect(await takeLock(file())).to.have.nested.property('previous.owner.pid', first.pid)
  })

  it('is taken over when its file was cut short', async () => {
    await writeFile(file(), '{"owner":')
    expect(await takeLock(file())).to.include({ isMine: true })
  })

  it('shows its content to others, and is free again once released', async () => {
    await takeLock(file())
    await writeLock(file(), { summary: 'up' })
    expect(await readLock(file())).to.deep.equal({ owner: processIdentity(process.pid), summary: 'up' })
    expect(await taking().line()).to.equal('taken')
    await releaseLock(file())
    expect(await readLock(file())).to.equal(undefined)
  })

  it('knows a process by its id and start time, so that a reused id does not keep it', () => {
    const { pid, startedAt } = processIdentity(process.pid)
    expect(isRunning({ pid, startedAt })).to.equal(true)
    expect(isRunning({ pid, startedAt: `${startedAt}1` })).to.equal(false)
    expect(isRunning({ pid: 2 ** 22 + 1, startedAt })).to.equal(false)
  })
})
