import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { run } from '../../scripts/lib/commands.mjs'
import { packageBin, ROOT } from '../../scripts/lib/paths.mjs'
import { Results } from '../../scripts/test/results.ts'
import { testEnvironment } from '../../scripts/test/parts.ts'
import { chooseSuites, listTestFiles, parseOptions } from '../../scripts/test/suites.ts'
import { isAlive, useTemporaryDirectory } from './support.ts'

const COST = { folder: 'x', fromMs: 0, toMs: 1_000, cpuS: 2, boots: 3 }
const RUN = { mark: '', code: 0, costs: [COST, { ...COST, fromMs: 500, toMs: 2_000 }] }
const GOOD = { passed: { 'test/x': 2 }, failed: [] }

describe('npm test', function () {
  this.timeout(60_000)
  const dir = useTemporaryDirectory()
  const command = (...args: string[]) => ['scripts/test.ts', ...args]

  it('ends with the count as its last line and a failure when no suite has the name', async () => {
    const { code, output } = await run(process.execPath, command('no-such-suite'), { cwd: ROOT })
    expect(code).to.equal(1)
    expect(output).to.contain('No test file matches "no-such-suite"')
    expect(output.trimEnd().split('\n').at(-1)).to.equal('0 passed, 1 failed')
  })

  it('ends at a stop signal to npm, also when it comes twice, with a failure and without leaving files', async () => {
    const before = await readdir(tmpdir())
    const npm = spawn('npm', ['test', '--', 'scripts/ready'], { cwd: ROOT, stdio: 'pipe' })
    const lines: string[] = []
    const reader = createInterface({ input: npm.stdout }).on('line', (line) => lines.push(line))
    while (!lines.some((line) => line.startsWith('✓ build'))) await once(reader, 'line')
    npm.kill('SIGTERM')
    npm.kill('SIGTERM')
    await once(reader, 'close') // the output is open for as long as any process of the run is alive
    expect(lines.at(-1)).to.match(/^\d+ passed, [1-9]\d* failed$/)
    const left = (await readdir(tmpdir())).filter((name) => !before.includes(name))
    const owners = left.flatMap((name) => /^sales-data-webhooks-test-(\d+)-/.exec(name)?.[1] ?? [])
    expect(owners.map(Number).filter((pid) => !isAlive(pid))).to.deep.equal([])
  })

  it('ends what a killed run left behind, and removes its files', async () => {
    const killed = spawn(process.execPath, command('db/db/connection/large-values'), {
      cwd: ROOT,
      stdio: 'pipe',
    })
    const reader = createInterface({ input: killed.stdout })
    for await (const line of reader) if (line.includes('a page with')) break
    const own = (await readdir(tmpdir())).find((name) => name.includes(`-test-${killed.pid}-`))!
    const children = await readFile(path.join(tmpdir(), own, 'children.jsonl'), 'utf8')
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    const { code, output } = await run(process.execPath, command('unit/fences'), { cwd: ROOT })
    expect(code, output).to.equal(0)
    const pids = [...children.matchAll(/"pid":(\d+)/g)].map(([, pid]) => Number(pid))
    expect(pids.length).to.be.at.least(1)
    expect(pids.filter((pid) => isAlive(pid))).to.deep.equal([])
    expect(await readdir(tmpdir())).to.not.include(own)
  })

  // decision: Test servers
  it('lets no test know of the user’s own database', () => {
    process.env['DATABASE_URL'] = 'mysql://mine@127.0.0.1/mine'
    try {
      expect(testEnvironment()).to.include.keys('PATH').and.not.include.keys('DATABASE_URL')
    } finally {
      delete process.env['DATABASE_URL']
    }
  })

  describe('what it runs', () => {
    const choose = (...args: string[]) => chooseSuites(parseOptions(args))
    const folders = async (...args: string[]) => {
      const named = (await choose(...args)).map(({ files, mark }) =>
        files.map((file) => path.dirname(file).split('/').slice(0, 2).join('/') + mark),
      )
      return [...new Set(named.flat())]
    }

    // decision: Tests of `.ci/run` alone
    it('is every test but those that compare small times, and the checks; the longest are in .ci/run alone', async () => {
      const filesOf = async (...args: string[]) => (await choose(...args)).flatMap((suite) => suite.files)
      const [files, both] = [new Set(await filesOf()), new Set(await filesOf('--both'))]
      const all = await listTestFiles()
      expect([...both].toSorted()).to.deep.equal(all.filter((file) => !file.startsWith('test/measured/')))
      for (const file of [...both].filter((each) => !files.has(each)))
        expect(await readFile(file, 'utf8')).to.match(/^\/\/ Only in \.ci\/run: \w/)
      expect([parseOptions([]).hasChecks, parseOptions(['unit']).hasChecks]).to.deep.equal([true, false])
    })

    // decision: Two Temporal servers
    it('is in configuration B what says so in its first line, on MySQL and the Temporal of today, and whatever is named', async () => {
      const inB = await choose('--b')
      const heads = await Promise.all(inB.flatMap(({ files }) => files).map((file) => readFile(file, 'utf8')))
      for (const head of heads)
        expect(head).to.match(/^\/\/ (Also on MySQL with direct attempts|Only in \.ci\/run): \w/)
      expect(inB.flatMap(({ parts }) => parts))
        .to.include.members(['MySQL', 'Temporal of today'])
        .and.not.include.members(['database'])
        .and.not.include.members(['Temporal'])
      expect(await folders('--both')).to.include.members(['test/unit', 'test/faults', 'test/faults in B'])
      expect(await folders('--b', 'unit/domain')).to.deep.equal(['test/unit in B'])
    })

    it('is a folder of test/ by its name, or every file with that in its path, and ends at the first option: the rest is for mocha', async () => {
      expect(await folders('test/docs/', 'fences')).to.deep.equal(['test/docs', 'test/unit'])
      const [suite] = await choose('fences')
      expect(suite).to.deep.include({ files: ['test/unit/fences.test.ts'], parts: [] })
      const parsed = { configurations: ['B'], wanted: ['db'], mochaArgs: ['--grep', 'lease'] }
      expect(parseOptions(['--b', 'db', '--grep', 'lease'])).to.deep.include(parsed)
    })
  })

  describe('its end', () => {
    it('is a table, what failed, and the sums, whichever configuration ends first', () => {
      const results = new Results()
      results.pass()
      const bad = { passed: { 'test/x': 1 }, failed: ['test/x: a test: why'] }
      expect(results.addRun({ ...RUN, result: GOOD })).to.equal(true)
      expect(results.addRun({ ...RUN, mark: ' in B', code: 1, result: bad })).to.equal(false)
      expect(results.isGood).to.equal(false)
      expect(results.summary(1, '/logs').split('\n')).to.deep.equal([
        '',
        'folder       passed  seconds  CPU s  processes',
        'test/x            2        2      4          6',
        'test/x in B       1        2      4          6',
        '',
        '✗ test/x in B: a test: why',
        'Logs of the processes of failed tests: /logs',
        '',
        '4 passed, 1 failed',
      ])
    })

    it('counts a mocha that fails without a failed test, or writes no result, as one failure', () => {
      const results = new Results()
      expect(results.addRun({ ...RUN, code: 7, result: GOOD })).to.equal(false)
      expect(results.addRun({ ...RUN, result: undefined })).to.equal(false)
      const summary = results.summary(1)
      expect(summary).to.contain('✗ mocha (exit code 7)\n✗ mocha (no result, exit code 0)')
      expect(summary).to.match(/\n2 passed, 2 failed$/)
    })

    it('names what failed in its last 20 lines, however much that is, and tells a failure of a run that was cut short', () => {
      expect(new Results().summary(130)).to.match(/\n0 passed, 1 failed$/)
      const results = new Results()
      for (let number = 1; number <= 30; number++) results.fail(`test ${number}`)
      const lines = results.summary(1, '/logs').split('\n')
      expect(lines.filter((line) => line.startsWith('✗'))).to.have.length(30)
      expect(lines.slice(-20).filter((line) => line.startsWith('✗')).length).to.be.at.least(12)
    })
  })

  describe('counts of a suite', () => {
    async function runSuite(source: string, more: string[] = []) {
      const file = path.join(dir.path, 'some.test.mjs')
      const resultFile = path.join(dir.path, 'result.json')
      await writeFile(file, source)
      const args = ['--no-config', '--reporter', './scripts/test/reporter.ts', ...more, file]
      // A mocha of its own, not one of the processes of ours.
      const { MOCHA_WORKER_ID: _, TEST_COSTS_FILE: __, ...ours } = process.env
      const env = { ...ours, MOCHA_RESULT_FILE: resultFile, TEST_LOGS_DIR: path.join(dir.path, 'logs') }
      const { code, output } = await run(packageBin('mocha'), args, { cwd: ROOT, env })
      const result = await readFile(resultFile, 'utf8').catch(() => 'none')
      return { code, output, result }
    }

    it('are its passed and failed tests, with names and why they failed: the last line of what a process printed', async () => {
      const { code, result } = await runSuite(
        `it('a', () => {}); it('b', () => {}); it('c', () => { throw new Error() })
         it('d', () => { throw new Error('the process ended:\\nboot\\nbind EADDRINUSE\\n') })`,
      )
      const failed = ['test: c', 'test: d: the process ended: … bind EADDRINUSE']
      expect([code, JSON.parse(result)]).to.deep.equal([2, { passed: { test: 2 }, failed }])
    })

    // decision: Stacks that files share
    // decision: Api and worker of a test run within the test's process
    it('tell of an error of what files share, and the logs of a failed test and of a failed hook are kept', async () => {
      const helper = (name: string) => JSON.stringify(path.join(ROOT, 'test/support', name))
      const { code, result } = await runSuite(
        `import { share } from ${helper('kept.ts')}
         import { keepOutput } from ${helper('outputs.ts')}
         share('a stack', async () => ({ stop: () => Promise.reject(new Error('an error was logged')) }))
         keepOutput('worker', () => 'what it printed')
         it('a', () => { throw new Error('why') })`,
        ['--require', './test/support/hooks.ts'],
      )
      expect(code).to.be.at.least(1)
      expect(JSON.parse(result).failed.join()).to.include('a: why').and.include('an error was logged')
      const log = path.join(dir.path, 'logs', 'some.test.mjs', 'worker-1.log')
      expect(await readFile(log, 'utf8')).to.equal('what it printed')
      await rm(log)
      await runSuite(
        `import { keepOutput } from ${helper('outputs.ts')}
         keepOutput('worker', () => 'what it printed before')
         describe('some', () => {
           before(() => { throw new Error('why') })
           it('a', () => {})
         })`,
        ['--require', './test/support/hooks.ts'],
      )
      expect(await readFile(log, 'utf8')).to.equal('what it printed before')
    })

    it('are missing when mocha crashes', async () => {
      const { code, result } = await runSuite(`it('a', () => { process.exit(7) })`)
      expect([code, result]).to.deep.equal([7, 'none'])
    })
  })
})
