import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'

const MEMORY = new URL('../../../src/process/memory.ts', import.meta.url).href

/** Keeps 40 MiB alive, replaces them bit by bit as a busy process does, and prints the most that the heap had. */
const BUSY = `
  const alive = Array.from({ length: 20_000 }, () => new Array(256).fill(0.5))
  globalThis.gc()
  let most = 0
  for (let step = 1; step <= 400_000; step++) {
    alive[(step * 7919) % alive.length] = new Array(256).fill(step + 0.5)
    if (step % 500 === 0) most = Math.max(most, process.memoryUsage().heapTotal)
  }
  console.log(most / 1024 / 1024)`

async function busyHeapMib(before = ''): Promise<number> {
  const args = ['--expose-gc', '--input-type=module', '--eval', before + BUSY]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return Number(stdout)
}

describe('the memory of a process', function () {
  this.timeout(60_000)

  // decision: Garbage is collected early
  it('holds little garbage beside what lives', async () => {
    const [usual, small] = await Promise.all([
      busyHeapMib(),
      busyHeapMib(`const { keepHeapSmall } = await import('${MEMORY}'); keepHeapSmall();`),
    ])
    expect(small, `${usual} MiB without it`).to.be.below(0.9 * usual)
  })

  it('is no less for a heap that needs more', async () => {
    const args = ['--input-type=module', '--eval']
    args.push(
      `const { keepHeapSmall } = await import('${MEMORY}'); keepHeapSmall();
       const all = []; for (let i = 0; i < 2e5; i++) all.push(new Array(256).fill(i + 0.5)); console.log(all.length)`,
    )
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(stdout.trim()).to.equal('200000')
  })
})
