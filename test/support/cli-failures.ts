import { expect } from 'chai'
import { describeFailure } from '../../src/cli/failure.ts'
import type { SystemDeps } from '../../src/deps/deps.ts'
import { cliResult } from './cli.ts'
import { runCommand } from './operator-commands.ts'

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
  for (const [verdict, args] of refusals) {
    const refused = await runCommand(deps, ...args, '--json').then(() => undefined, describeFailure)
    expect(`${String(refused?.exitCode)} ${String(refused?.code)}`, args.join(' ')).to.equal(verdict)
    expect(refused?.message).to.be.a('string').and.not.equal('')
  }
  const runProcess = async ([verdict, args]: Refusal): Promise<void> => {
    const { exitCode, stdout, stderr } = await cliResult([...args, '--json'], environment)
    const { error, ...others } = JSON.parse(stdout)
    expect([`${exitCode} ${error.code}`, others, stderr], args.join(' ')).to.deep.equal([verdict, {}, ''])
    expect(Object.keys(error as object)).to.deep.equal(['code', 'message'])
    expect(error.message).to.be.a('string').and.not.equal('')
  }
  await Promise.all([...new Map(refusals.toReversed())].map(runProcess))
}
