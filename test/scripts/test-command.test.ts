import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { run } from '../../scripts/lib/commands.ts'
import { packageBin, ROOT } from '../../scripts/lib/paths.mjs'
import { testEnvironment } from '../../scripts/test/parts.ts'
import type { MochaResult } from '../../scripts/test/reporter.ts'
import { Results } from '../../scripts/test/mocha.ts'
import { chooseSuites, listTestFiles, parseOptions } from '../../scripts/test/suites.ts'
import { isAlive, useTemporaryDirectory } from './support.ts'

describe('npm test', function () {
  this.timeout(60_000)
  const dir = useTemporaryDirectory()

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

  // decision: Test servers
  it('lets no test know of the user’s own database', () => {
    process.env['DATABASE_URL'] = 'mysql://mine@127.0.0.1/mine'
    try {
      expect(testEnvironment()).to.include.keys('PATH').and.not.include.keys('DATABASE_URL')
    } finally {
      delete process.env['DATABASE_URL']
    }
  })

  // decision: Stacks that files share
  // decision: Api and worker of a test run within the test's process
  it('tells of an error of what files share, and keeps the logs of a failed test and of a failed hook', async () => {
    const helper = (name: string) => JSON.stringify(path.join(ROOT, 'test/support', name))
    const files = { test: path.join(dir.path, 'a.test.mjs'), hook: path.join(dir.path, 'b.test.mjs') }
    await writeFile(
      files.test,
      `import { share } from ${helper('kept.ts')}
       import { keepOutput } from ${helper('running-parts.ts')}
       share('a stack', async () => ({ stop: () => Promise.reject(new Error('an error was logged')) }))
       keepOutput('worker', () => 'what it printed')
       it('passes', () => {})
       it('fails', () => { throw new Error('why') })`,
    )
    await writeFile(
      files.hook,
      `describe('some', () => {
         before(() => { throw new Error('why') })
         it('is not run', () => {})
       })`,
    )
    const results = path.join(dir.path, 'result.json')
    const reporter = ['--reporter', './scripts/test/reporter.ts', '--require', './test/support/hooks.ts']
    // Start a separate mocha, not one of our own processes.
    const { MOCHA_WORKER_ID: _, TEST_COSTS_FILE: __, ...ours } = process.env
    const env = { ...ours, MOCHA_RESULT_FILE: results, TEST_LOGS_DIR: path.join(dir.path, 'logs') }
    const args = ['--no-config', ...reporter, files.test, files.hook]
    const { code, output } = await run(packageBin('mocha'), args, { cwd: ROOT, env })
    expect(code, output).to.be.at.least(1)
    const { passed, failed } = JSON.parse(await readFile(results, 'utf8')) as MochaResult
    expect(passed).to.deep.equal({ test: 1 })
    expect(failed.join()).to.include('fails: why').and.include('an error was logged')
    for (const name of ['a.test.mjs', 'b.test.mjs'])
      expect(await readFile(path.join(dir.path, 'logs', name, 'worker-1.log'), 'utf8')).to.equal(
        'what it printed',
      )
  })

  describe('what it runs', () => {
    const choose = (...args: string[]) => chooseSuites(parseOptions(args))
    const foldersOf = (...args: string[]) => choose(...args).flatMap(({ folders }) => folders)
    const titles = (...args: string[]) => foldersOf(...args).map(({ title }) => title)

    // decision: Tests of `.ci/run` alone
    it('is every test, and the checks; the longest are in .ci/run alone', async () => {
      const filesOf = (...args: string[]) => foldersOf(...args).flatMap(({ files }) => files)
      const [files, both] = [new Set(filesOf()), new Set(filesOf('--both'))]
      expect([...both].toSorted()).to.deep.equal(listTestFiles())
      for (const file of [...both].filter((each) => !files.has(each)))
        expect(await readFile(file, 'utf8')).to.match(/^\/\/ Only in \.ci\/run: \w/)
      expect([parseOptions([]).hasChecks, parseOptions(['unit']).hasChecks]).to.deep.equal([true, false])
    })

    // decision: Two Temporal servers
    // decision: One mocha for all folders
    it('is in configuration B what says so in its first line, on MySQL and the Temporal of today, and whatever is named', async () => {
      const inB = foldersOf('--b')
      const heads = await Promise.all(inB.flatMap(({ files }) => files).map((file) => readFile(file, 'utf8')))
      for (const head of heads)
        expect(head).to.match(/^\/\/ (Also on MySQL with direct attempts|Only in \.ci\/run): \w/)
      expect(inB.flatMap(({ parts }) => parts))
        .to.include.members(['MySQL', 'Temporal of today'])
        .and.not.include.members(['database'])
        .and.not.include.members(['Temporal'])
      expect(titles('--both')).to.include.members(['test/unit', 'test/faults', 'test/faults in B'])
      expect(choose('--both')).to.have.length(2)
      expect(titles('--b', 'unit/domain')).to.deep.equal(['test/unit in B'])
    })

    it('is a folder of test/ by its name, or every file with that in its path; from the first option on it is for mocha', () => {
      expect(titles('test/docs/', 'fences')).to.deep.equal(['test/docs', 'test/unit'])
      const parsed = { configurations: ['B'], wanted: ['db'], mochaArgs: ['--grep', 'lease'] }
      expect(parseOptions(['--b', 'db', '--grep', 'lease'])).to.deep.include(parsed)
      expect(() => choose('no-such-suite')).to.throw('No test file matches "no-such-suite"')
    })
  })

  it('ends with a table, what failed and the sums; a mocha that crashed or wrote no result has failed once, and so has a run that was cut short', () => {
    expect(new Results().summary(130)).to.match(/\n0 passed, 1 failed$/)
    const results = new Results()
    results.pass()
    const cost = { folder: 'test/x', fromMs: 0, toMs: 1_000, cpuS: 2, boots: 3 }
    const ran = { mark: '', code: 0, costs: [cost, { ...cost, fromMs: 500, toMs: 2_000 }] }
    const good = { passed: { 'test/x': 2 }, failed: [] }
    const bad = { passed: { 'test/x': 1 }, failed: ['test/x: a test: why'] }
    const answers = [
      results.addRun({ ...ran, result: good }),
      results.addRun({ ...ran, mark: ' in B', code: 1, result: bad }),
      results.addRun({ ...ran, code: 7, result: good }),
      results.addRun({ ...ran, result: undefined }),
    ]
    expect(answers).to.deep.equal([true, false, false, false])
    const lines = results.summary(1, '/logs').split('\n')
    expect(lines.slice(1, 4)).to.deep.equal([
      'folder       passed  seconds  CPU s  processes',
      'test/x            2        2      4          6',
      'test/x in B       1        2      4          6',
    ])
    expect(lines.slice(-6)).to.deep.equal([
      '✗ test/x in B: a test: why',
      '✗ mocha (exit code 7)',
      '✗ mocha (no result, exit code 0)',
      'Logs of the processes of failed tests: /logs',
      '',
      '6 passed, 3 failed',
    ])
  })
})
