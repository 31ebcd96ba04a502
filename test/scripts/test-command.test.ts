import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { run } from '../../scripts/lib/commands.mjs'
import { packageBin, ROOT } from '../../scripts/lib/paths.mjs'
import { isAlive, useTemporaryDirectory } from './support.ts'

describe('npm test', function () {
  this.timeout(60_000)
  const dir = useTemporaryDirectory()
  const command = (...args: string[]) => ['scripts/test.mjs', ...args]

  it('ends with the count as its last line and a failure when no suite has the name', async () => {
    const { code, output } = await run(process.execPath, command('no-such-suite'), { cwd: ROOT })
    expect(code).to.equal(1)
    expect(output).to.contain('No test file matches "no-such-suite"')
    expect(output.trimEnd().split('\n').at(-1)).to.equal('0 passed, 1 failed')
  })

  it('ends at a stop signal to npm, also when it comes twice, with a failure and without leaving files', async () => {
    const before = await readdir(tmpdir())
    const npm = spawn('npm', ['test', '--', 'scripts/suites'], { cwd: ROOT, stdio: 'pipe' })
    const lines: string[] = []
    const reader = createInterface({ input: npm.stdout }).on('line', (line) => lines.push(line))
    while (!lines.some((line) => line.includes('build'))) await once(reader, 'line')
    npm.kill('SIGTERM')
    npm.kill('SIGTERM')
    await once(reader, 'close') // the output is open for as long as any process of the run is alive
    expect(lines.at(-1)).to.match(/^\d+ passed, [1-9]\d* failed$/)
    const left = (await readdir(tmpdir())).filter((name) => !before.includes(name))
    const owners = left.flatMap((name) => /^sales-data-webhooks-test-(\d+)-/.exec(name)?.[1] ?? [])
    expect(owners.map(Number).filter((pid) => !isAlive(pid))).to.deep.equal([])
  })

  describe('counts of a suite', () => {
    async function runSuite(source: string) {
      const file = path.join(dir.path, 'some.test.mjs')
      const resultFile = path.join(dir.path, 'result.json')
      await writeFile(file, source)
      const args = ['--no-config', '--reporter', './scripts/lib/mocha-reporter.mjs', file]
      const env = { ...process.env, SUITE_RESULT_FILE: resultFile, SUITE_LINGER_MS: '200' }
      const { code, output } = await run(packageBin('mocha'), args, { cwd: ROOT, env })
      const result = await readFile(resultFile, 'utf8').catch(() => 'none')
      return { code, output, result }
    }

    it('are its passed and failed tests, with the names of the failed', async () => {
      const { code, result } = await runSuite(
        `it('a', () => {}); it('b', () => {}); it('c', () => { throw new Error() })`,
      )
      expect([code, result]).to.deep.equal([1, '{"passes":2,"failures":1,"failed":["c"]}'])
    })

    it('say why a test failed, with the last line of what a process printed', async () => {
      const { result } = await runSuite(
        `it('c', () => { throw new Error('the process ended:\\nboot\\nbind EADDRINUSE\\n') })`,
      )
      expect(JSON.parse(result)).to.have.deep.property('failed', ['c: the process ended: … bind EADDRINUSE'])
    })

    it('are missing when mocha crashes', async () => {
      const { code, result } = await runSuite(`it('a', () => { process.exit(7) })`)
      expect([code, result]).to.deep.equal([7, 'none'])
    })

    it('come with a failure when something is left open', async () => {
      const { code, output, result } = await runSuite(`it('a', () => { setInterval(() => {}, 1000) })`)
      expect([code, result]).to.deep.equal([1, '{"passes":1,"failures":0,"failed":[]}'])
      expect(output).to.contain('left open: ').and.to.contain('Timeout')
    })
  })
})
