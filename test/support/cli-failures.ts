import { expect } from 'chai'
import { describeFailure } from '../../src/cli/failure.ts'
import type { SystemDeps } from '../../src/deps/deps.ts'
import { cliResult } from './cli.ts'
import { runCommand } from './operator-commands.ts'
import type { Json } from './tenants.ts'

/** A command that fails, and how: its exit code and the code of its error, such as `1 NOT_FOUND`. */
export type Refusal = readonly [verdict: string, args: readonly string[]]

/**
 * Expects the verdict of every command in this process, where it takes no half a second of a core to load. The first one of
 * each verdict also runs in a process of its own, as an operator runs it.
 */
export async function expectRefusals(
  refusals: readonly Refusal[],
  { deps, environment }: { readonly deps: SystemDeps; readonly environment: Record<string, string> },
): Promise<void> {
  for (const [verdict, args] of refusals)
    expect(await verdictHere(deps, args), args.join(' ')).to.equal(verdict)
  const firsts = [...new Map(refusals.toReversed())]
  await Promise.all(
    firsts.map(async ([verdict, args]) =>
      expect(await verdictOfProcess(environment, args), args.join(' ')).to.equal(verdict),
    ),
  )
}

async function verdictHere(deps: SystemDeps, args: readonly string[]): Promise<string> {
  const refused = await runCommand(deps, ...args, '--json').then(() => undefined, describeFailure)
  expect(refused?.message).to.be.a('string').and.not.equal('')
  return `${String(refused?.exitCode)} ${String(refused?.code)}`
}

/** Also checks the form of the answer. */
async function verdictOfProcess(
  environment: Record<string, string>,
  args: readonly string[],
): Promise<string> {
  const { exitCode, stdout, stderr } = await cliResult([...args, '--json'], environment)
  const answer: Json = JSON.parse(stdout)
  expect(stderr).to.equal('')
  expect(Object.keys(answer)).to.deep.equal(['error'])
  expect(Object.keys(answer.error)).to.deep.equal(['code', 'message'])
  expect(answer.error.message).to.be.a('string').and.not.equal('')
  return `${String(exitCode)} ${String(answer.error.code)}`
}
