import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { untilSo } from '../support/poll.ts'
import { isAlive, startProgram, useTemporaryDirectory, type Program } from './support.ts'

/** A program that runs this under a supervisor, and waits. */
const supervised = (work: string, before = ''): Program =>
  startProgram(`
    ${before}
    const { runSupervised } = await import('lib/supervisor.ts')
    await runSupervised(async (supervisor) => {
      const onLine = (line) => console.log(line)
      const shell = (text, graceMs, onLine) =>
        supervisor.start({ name: 'sh', command: '/bin/sh', args: ['-c', text], graceMs, onLine })
      ${work}
      return new Promise(() => {})
    })`)

/** A program that supervises services, each a shell command. It prints their process ids, one per line, and then their output. */
const supervise = (services: { name: string; shell: string; graceMs?: number }[], afterwards = ''): Program =>
  supervised(`
    for (const { name, shell, graceMs } of ${JSON.stringify(services)})
      console.log(supervisor.start({ name, command: '/bin/sh', args: ['-c', shell], graceMs, onLine }))
    ${afterwards}`)

const FOREVER = 'sleep 600'
const pidsOf = async (program: Program, count: number) => {
  const pids: number[] = []
  while (pids.length < count) pids.push(Number(await program.line()))
  return pids
}

describe('the supervisor', () => {
  const dir = useTemporaryDirectory()

  for (const [what, work, message] of [
    [
      'a service ends by itself',
      `shell('echo out of luck; exit 3')`,
      'sh ended by itself (exit code 3), so everything is stopped. Its last lines:\nout of luck',
    ],
    [
      'a service cannot be started',
      `supervisor.start({ name: 'temporal', command: '/nowhere/temporal', args: [] })`,
      'temporal could not be started: spawn /nowhere/temporal ENOENT',
    ],
    ['the program itself throws', `throw new Error('no database')`, 'no database'],
  ] as const)
    it(`ends everything with exit code 1 and one clear line when ${what}`, async () => {
      const program = supervised(`console.log(shell('${FOREVER}')); ${work}`)
      const [pid] = await pidsOf(program, 1)
      const { code, errors } = await program.ended
      expect([code, errors.trim()]).to.deep.equal([1, message])
      expect(isAlive(pid!)).to.equal(false)
    })

  for (const [signal, expected] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    it(`ends everything on ${signal}, also when it comes twice at once, as through npm, what services started themselves, and what is deaf after its grace`, async () => {
      const program = supervise([
        { name: 'a', shell: `${FOREVER} & echo $!; wait` },
        { name: 'deaf', shell: `trap '' TERM; echo deaf; ${FOREVER}`, graceMs: 200 },
      ])
      const pids = await pidsOf(program, 2)
      const said = [await program.line(), await program.line()]
      const grandchild = Number(said.find((line) => line !== 'deaf'))
      expect(isAlive(grandchild)).to.equal(true)
      program.signal(signal)
      program.signal(signal)
      expect((await program.ended).code).to.equal(expected)
      expect(pids.map(isAlive)).to.deep.equal([false, false])
      // The supervisor has sent SIGKILL by now. On a busy machine the kernel carries it out a moment later.
      await untilSo(() => !isAlive(grandchild), { withinMs: 5000, what: 'the end of the grandchild' })
    })

  it('ends the services in reverse order, each before the next is told', async () => {
    const log = path.join(dir.path, 'log')
    const logging = (name: string) => ({
      name,
      shell: `trap 'echo told ${name} >> "${log}"; sleep 0.1; echo ended ${name} >> "${log}"; exit 0' TERM; echo up; while :; do sleep 0.02; done`,
    })
    const program = supervise([logging('database'), logging('worker')])
    await pidsOf(program, 2)
    expect([await program.line(), await program.line()]).to.deep.equal(['up', 'up'])
    program.signal('SIGTERM')
    await program.ended
    const order = (await readFile(log, 'utf8')).trim().split('\n')
    expect(order).to.deep.equal(['told worker', 'ended worker', 'told database', 'ended database'])
  })

  it('also ends a command that is running, and starts nothing any more', async () => {
    const program = supervise(
      [],
      `
      const { run } = await import('lib/commands.ts')
      const running = run('/bin/sh', ['-c', 'echo $$; ${FOREVER}'], { onLine: (line) => console.log(line) })
      await running
      await run('/bin/sh', ['-c', 'touch "${dir.path}/too-late"'])`,
    )
    const [pid] = await pidsOf(program, 1)
    program.signal('SIGTERM')
    expect((await program.ended).code).to.equal(143)
    expect(isAlive(pid!)).to.equal(false)
    expect(await readFile(path.join(dir.path, 'too-late')).catch(() => 'absent')).to.equal('absent')
  })
})

describe('what a killed run leaves behind', () => {
  const dir = useTemporaryDirectory()
  const record = () => path.join(dir.path, 'children.jsonl')
  const endLeftovers = () =>
    startProgram(`
      const { endLeftovers } = await import('lib/processes.ts')
      console.log('ended', ...(await endLeftovers(${JSON.stringify(record())}, 1000)))`)

  async function leaveBehind(shell: string): Promise<number> {
    const program = supervise(
      [],
      `
      const { recordGroupsIn } = await import('lib/processes.ts')
      recordGroupsIn(${JSON.stringify(record())})
      console.log(supervisor.start({ name: 'a', command: '/bin/sh', args: ['-c', ${JSON.stringify(shell)}], onLine }))`,
    )
    const [pid] = await pidsOf(program, 1)
    expect(await program.line()).to.equal('up')
    program.signal('SIGKILL')
    await program.ended
    expect(isAlive(pid!)).to.equal(true)
    return pid!
  }

  it('is ended by the next run, also when it ignores SIGTERM, and told apart from another process that got its id: the start time has to match', async () => {
    const pid = await leaveBehind(`trap '' TERM; echo up; ${FOREVER}`)
    const [line = ''] = (await readFile(record(), 'utf8')).split('\n')
    const identity = JSON.parse(line) as { pid: number; startedAt: string }
    await writeFile(record(), `${JSON.stringify({ ...identity, startedAt: '1' })}\n{"pid":`)
    expect(await endLeftovers().line()).to.equal('ended')
    expect(isAlive(pid)).to.equal(true)
    await writeFile(record(), `${line}\n`)
    expect(await endLeftovers().line()).to.equal('ended a')
    expect(isAlive(pid)).to.equal(false)
    expect(await endLeftovers().line()).to.equal('ended')
  })
})

describe('the groups of a program that a test run has started', () => {
  const run = (service: string) =>
    supervised(
      `console.log(await makeTestDirectory(supervisor))
       ${service}`,
      "const { makeTestDirectory } = await import('lib/../test/parts.ts')",
    )

  /** Runs as the runner does: its child is a shell, which starts the nested program in a group of its own. */
  async function runWithNested(): Promise<{ program: Program; dir: string; pid: number }> {
    const groups = new URL('../../scripts/lib/processes.ts', import.meta.url).href
    const nested = `
      const { spawnGroup } = await import(${JSON.stringify(groups)})
      console.log(spawnGroup('/bin/sh', ['-c', '${FOREVER}']).pid)`
    const node = [process.execPath, '--input-type=module', '--eval', nested]
    const program = run(`
      const args = ['-c', '"$0" "$@" & wait', ...${JSON.stringify(node)}]
      supervisor.start({ name: 'mocha', command: '/bin/sh', args, onLine })`)
    const dir = await program.line()
    const pid = Number(await program.line())
    expect(isAlive(pid)).to.equal(true)
    return { program, dir, pid }
  }

  it('end with the run at a stop signal, though the program was killed before it could end them', async () => {
    const { program, dir, pid } = await runWithNested()
    program.signal('SIGTERM')
    expect((await program.ended).code).to.equal(143)
    expect(isAlive(pid)).to.equal(false)
    expect(existsSync(dir)).to.equal(false)
  })

  it('are ended by the next run when the run was killed', async () => {
    const { program, dir, pid } = await runWithNested()
    program.signal('SIGKILL')
    await program.ended
    const next = run('')
    await next.line()
    expect(isAlive(pid)).to.equal(false)
    expect(existsSync(dir)).to.equal(false)
    next.signal('SIGTERM')
    await next.ended
  })
})
