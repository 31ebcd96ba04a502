import { expect } from 'chai'
import { createProgress, formatDuration } from '../../scripts/lib/progress.mjs'

function recorder(isTTY = false) {
  const stream = { text: '', isTTY, columns: 80, write: (text: string) => (stream.text += text) }
  return stream
}

/** The first moving line that a terminal of so many columns is sent while a step runs. */
async function movingLine(columns: number | undefined): Promise<string> {
  const [drawn, draw] = withResolver()
  const stream = { isTTY: true, ...(columns !== undefined && { columns }), write: draw }
  const { step } = createProgress(stream)
  let line = ''
  await step('Build', {}, async (update) => {
    update('x'.repeat(200))
    line = await drawn
  })
  return line
}

function withResolver(): [Promise<string>, (text: string) => void] {
  let resolve: (text: string) => void = () => undefined
  const promise = new Promise<string>((done) => (resolve = done))
  return [promise, (text) => resolve(text)]
}

describe('the progress list', () => {
  it('prints one plain line for each step when it ends, with its duration', async () => {
    const stream = recorder()
    const { step, print } = createProgress(stream)
    await step('Database', {}, () => Promise.resolve())
    print('between')
    await step('Build', {}, () => Promise.resolve(1))
    expect(stream.text).to.match(/^✓ Database \(\d+\.\d s\)\nbetween\n✓ Build \(\d+\.\d s\)\n$/)
  })

  it('marks a step that throws or whose result is not good, and hands both on', async () => {
    const stream = recorder()
    const { step } = createProgress(stream)
    const thrown = await step('Build', {}, () => Promise.reject(new Error('no'))).catch((error: unknown) =>
      String(error),
    )
    expect(thrown).to.equal('Error: no')
    expect(
      await step('test/api', { isGood: (failures) => failures === 0 }, () => Promise.resolve(2)),
    ).to.equal(2)
    expect(stream.text).to.match(/^✗ Build .*\n✗ test\/api .*\n$/)
  })

  it('leaves nothing but the plain lines on a terminal in the end', async () => {
    const stream = recorder(true)
    await createProgress(stream).step('Database', {}, (update) => {
      update('starting')
      return Promise.resolve()
    })
    expect(stream.text.split('\r\u001B[2K').at(-1)).to.match(/^✓ Database \(\d+\.\d s\)\n$/)
  })

  it('erases the whole line and fills at most the width, also where a terminal reports 0 columns or none', async () => {
    const ERASE = '\r\u001B[2K'
    for (const [columns, width] of [
      [40, 39],
      [0, 79],
      [undefined, 79],
      [1, 1],
    ] as const) {
      const line = await movingLine(columns)
      expect(line.startsWith(ERASE), String(columns)).to.equal(true)
      expect(line.slice(ERASE.length), String(columns)).to.have.length(width)
    }
  })

  it('formats durations in seconds and minutes', () => {
    expect([840, 59_940, 60_000, 185_000, 179_900].map(formatDuration)).to.deep.equal([
      '0.8 s',
      '59.9 s',
      '1 min 0 s',
      '3 min 5 s',
      '3 min 0 s',
    ])
  })
})
