import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import {
  chooseDirectSuites,
  chooseSuites,
  isBeside,
  listTestFiles,
  needServers,
  parseTestArgs,
  titleOf,
} from '../../scripts/lib/suites.mjs'
import { usingDatabase, usingTemporal } from '../../scripts/lib/test-imports.mjs'
import { testEnvironment } from '../../scripts/lib/test-servers.mjs'

const FILES = [
  'test/docs.test.ts',
  'test/unit/fences.test.ts',
  'test/api/errors.test.ts',
  'test/unit/domain/errors.test.ts',
  'test/domain/retry.test.ts',
  'test/e2e/retry/manual.test.ts',
]

/** The stacks that test files share, by the names that they give to their helpers. */
async function sharedStacksOf(files: readonly string[]): Promise<string[]> {
  const sources = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  const names = sources.flatMap((source) => [
    ...[...source.matchAll(/\buseStack\((?:'([^']+)')?\)/g)].map(([, name = 'usual']) => name),
    ...(source.includes('isShared: true') ? ['crashing'] : []),
  ])
  const SEEN_AS = new Map([
    ['proxied', 'quiet'],
    ['by workflows', 'usual'],
  ])
  return [...new Set(names.map((name) => SEEN_AS.get(name) ?? name))]
}

describe('the suites of npm test', () => {
  // decision: Test servers
  it('never learn of the user’s own database', () => {
    const before = process.env['DATABASE_URL']
    process.env['DATABASE_URL'] = 'mysql://root@127.0.0.1:1/production'
    try {
      expect(testEnvironment()).not.to.have.property('DATABASE_URL')
    } finally {
      if (before === undefined) delete process.env['DATABASE_URL']
      else process.env['DATABASE_URL'] = before
    }
  })

  it('are the long folders when none is named, and one for all that is short', () => {
    const suites = chooseSuites(FILES, [])
    expect(suites.map(titleOf)).to.deep.equal(['test/e2e', 'the short suites'])
    expect(suites.flatMap(({ files }) => files)).to.have.members(FILES)
  })

  it('are a folder each when they are named', () => {
    expect(chooseSuites(FILES, ['api', 'domain', 'fences']).map(titleOf)).to.deep.equal([
      'test/api',
      'test/domain',
      'test/*.test.ts',
    ])
  })

  it('are the long ones, and beside them the others, the soak first', async () => {
    const suites = chooseSuites(await listTestFiles(), [])
    const [long, beside] = [false, true].map((wanted) =>
      suites.filter((suite) => isBeside(suite) === wanted).map(({ name }) => name),
    )
    expect(long).to.deep.equal(['e2e', 'faults', 'browser', 'hostile', 'http', 'drills'])
    expect(beside).to.deep.equal(['soak', 'the short suites', 'scripts', 'upgrade'])
    expect(chooseDirectSuites(await listTestFiles(), []).filter(isBeside)).to.deep.equal([])
  })

  // decision: What a drill asserts
  it('are run with the drills, and what measures small times only where it is named', () => {
    const files = [...FILES, 'test/drills/recovery.test.ts', 'test/measured/recovery-neighbour.test.ts']
    const names = chooseSuites(files, []).map(({ name }) => name)
    expect(names).to.include('drills').and.not.include('measured')
  })

  it('are a folder by its name, with or without test/', () => {
    const domain = [
      { name: 'domain', files: ['test/unit/domain/errors.test.ts', 'test/domain/retry.test.ts'], jobs: 1 },
    ]
    expect(chooseSuites(FILES, ['domain'])).to.deep.equal(domain)
    expect(chooseSuites(FILES, ['test/domain/'])).to.deep.equal(domain)
  })

  it('are files by any part of their path, each once', () => {
    expect(chooseSuites(FILES, ['retry', 'manual'])).to.deep.equal([
      { name: 'e2e', files: ['test/e2e/retry/manual.test.ts'], jobs: 1 },
      { name: 'domain', files: ['test/domain/retry.test.ts'], jobs: 1 },
    ])
  })

  it('measure times only after the suites that keep all cores busy', () => {
    const files = ['e2e', 'faults', 'hostile'].map((name) => `test/${name}/some.test.ts`)
    expect(chooseSuites(files.reverse(), []).at(-1)?.name).to.equal('hostile')
  })

  it('run their files side by side where tests mostly wait, never with more processes than files', () => {
    const jobs = (count: number) =>
      chooseSuites(
        Array.from({ length: count }, (_, n) => `test/faults/${n}.test.ts`),
        [],
      )[0]?.jobs
    expect([jobs(1), jobs(3), jobs(9)]).to.deep.equal([1, 3, 4])
  })

  // decision: Stacks that files share
  it('share no stack between e2e and http, which are two processes', async () => {
    const suites = chooseSuites(await listTestFiles(), ['e2e', 'http'])
    const [e2e, http] = await Promise.all(suites.map(({ files }) => sharedStacksOf(files)))
    expect(e2e).to.include('usual').and.include('direct')
    expect(http).to.deep.equal(['quiet'])
    expect(e2e).not.to.include('quiet')
  })

  it('name what there is when nothing matches', () => {
    expect(() => chooseSuites(FILES, ['webhook'])).to.throw(
      'No test file matches "webhook". Suites: *.test.ts, api, domain, e2e',
    )
  })

  it('end at the first option; the rest is for mocha', () => {
    expect(parseTestArgs(['domain', 'e2e', '--grep', 'retry'])).to.deep.equal({
      databases: 'found',
      isDirect: false,
      wanted: ['domain', 'e2e'],
      mochaArgs: ['--grep', 'retry'],
    })
    expect(parseTestArgs([])).to.deep.equal({
      databases: 'found',
      isDirect: false,
      wanted: [],
      mochaArgs: [],
    })
  })

  it('run on MySQL alone or there too when the first option says so', () => {
    expect(parseTestArgs(['--mysql', 'e2e', '--grep', '410'])).to.deep.equal({
      databases: 'mysql',
      isDirect: false,
      wanted: ['e2e'],
      mochaArgs: ['--grep', '410'],
    })
    expect(parseTestArgs(['--mysql-too']).databases).to.equal('both')
  })

  it('run with direct first attempts when the option says so, before or after that of the database', () => {
    expect(parseTestArgs(['--direct', 'faults', '--grep', 'crash'])).to.deep.equal({
      databases: 'found',
      isDirect: true,
      wanted: ['faults'],
      mochaArgs: ['--grep', 'crash'],
    })
    for (const args of [
      ['--direct', '--mysql', 'e2e'],
      ['--mysql', '--direct', 'e2e'],
    ]) {
      expect(parseTestArgs(args)).to.include({ databases: 'mysql', isDirect: true })
    }
    const [suite] = chooseDirectSuites(FILES, ['e2e'])
    expect(suite).to.deep.include({ name: 'e2e, direct', env: { TEST_FIRST_ATTEMPT: 'direct' } })
  })

  it('run crashes and races with direct first attempts too, but not what says itself who makes them', async () => {
    const [e2e, faults, ...others] = chooseDirectSuites(await listTestFiles(), [])
    expect(others).to.deep.equal([])
    expect([e2e?.name, faults?.name]).to.deep.equal(['e2e, direct', 'faults, direct'])
    expect(e2e?.files)
      .to.include('test/system/e2e/delivery-races.test.ts')
      .and.not.include('test/system/e2e/publish.test.ts')
    expect(faults?.files).to.include('test/faults/crash-attempt.test.ts')
    expect(faults?.files.filter((file) => file.includes('/direct-'))).to.deep.equal([])
  })

  // decision: Two databases
  it('use a database when their imports lead to it, through whatever helper', async () => {
    const using = await usingDatabase(await listTestFiles())
    expect(using).to.include.members([
      'test/db/db/system/claims.test.ts',
      'test/system/e2e/deliveries.test.ts',
      'test/faults/workers.test.ts',
      'test/deploy/containers.test.ts',
    ])
    const without = using.filter((file) => /^test\/(domain|docs|scripts|workflows)\//.test(file))
    expect([...without, ...using.filter((file) => file.includes('http-sender'))]).to.deep.equal([])
  })

  // decision: Test servers
  it('use Temporal when they or what they import read the address of the server', async () => {
    const using = await usingTemporal(await listTestFiles())
    expect(using).to.include.members([
      'test/system/e2e/deliveries.test.ts',
      'test/faults/boot.test.ts',
      'test/upgrade/rolling-change.test.ts',
      'test/deploy/containers.test.ts',
    ])
    expect(
      using.filter((file) => /^test\/(api|attempts|cli|operations|relay|scripts|workflows)\//.test(file)),
    ).to.deep.equal([])
  })

  it('get servers unless all of them can do without', () => {
    expect(needServers(chooseSuites(FILES, ['domain', 'fences', 'docs']))).to.equal(false)
    expect(needServers(chooseSuites(FILES, ['domain', 'api']))).to.equal(true)
    expect(needServers(chooseSuites(FILES, []))).to.equal(true)
    expect(needServers([])).to.equal(false)
  })
})
