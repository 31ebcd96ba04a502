import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { readOnce } from '../../../../src/api/openapi/read-once.ts'

describe('a file that is read once', () => {
  let dir: string
  before(async () => {
    dir = await mkdtemp(path.join(tmpdir(), 'read-once-'))
  })
  after(() => rm(dir, { recursive: true }))

  const failureOf = async (read: () => Promise<Buffer>) =>
    read().then(
      () => 'read',
      (error: unknown) => (error as NodeJS.ErrnoException).code,
    )

  it('is tried again after a read that failed, also when two asked at once', async () => {
    const file = path.join(dir, 'late.css')
    const read = readOnce(file)
    expect(await Promise.all([failureOf(read), failureOf(read)])).to.deep.equal(['ENOENT', 'ENOENT'])
    await writeFile(file, 'there')
    expect((await read()).toString()).to.equal('there')
  })

  it('is kept once it was read', async () => {
    const file = path.join(dir, 'kept.css')
    await writeFile(file, 'first')
    const read = readOnce(file)
    await read()
    await writeFile(file, 'second')
    expect((await read()).toString()).to.equal('first')
  })
})
