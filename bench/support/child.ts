import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/*
 * Runs the exported functions of a module in a process of its own, so that they take no time from the one that measures. As a
 * program: node child.ts <module URL>. It ends with the process that started it, and prints the error of a function that throws.
 */

type Functions<Module> = { readonly [Name in keyof Module]: (argument: never) => unknown }
type Question = { readonly id: number; readonly name: string; readonly argument: unknown }
type Answer = { readonly id: number; readonly result: unknown }

/**
 * Starts a process that runs the functions of a module, one or several at a time. Calls are rejected when it has ended.
 *
 * @param module such as new URL('./load.ts', import.meta.url)
 */
export function startChild<Module extends Functions<Module>>(module: URL) {
  const child = fork(fileURLToPath(import.meta.url), [String(module)], { serialization: 'advanced' })
  const open = new Map<number, PromiseWithResolvers<unknown>>()
  child.on('message', ({ id, result }: Answer) => {
    open.get(id)?.resolve(result)
    open.delete(id)
  })
  const exit = once(child, 'exit').then(() => {
    const early = new Error(`the process of ${module.pathname} ended early`)
    for (const { reject } of open.values()) reject(early)
  })
  let count = 0
  function call<Name extends keyof Module & string>(name: Name, ...[argument]: Parameters<Module[Name]>) {
    const answer = Promise.withResolvers<unknown>()
    open.set(++count, answer)
    child.send({ id: count, name, argument } satisfies Question)
    return answer.promise as Promise<Awaited<ReturnType<Module[Name]>>>
  }
  /** Ends it at once. */
  const end = () => {
    child.kill('SIGKILL')
    return exit
  }
  return { pid: child.pid ?? 0, call, end }
}

async function serve(module: string): Promise<void> {
  const functions = (await import(module)) as Record<string, (argument: unknown) => unknown>
  process.on('disconnect', () => process.exit())
  const answer = async ({ id, name, argument }: Question) => {
    process.send!({ id, result: await functions[name]!(argument) } satisfies Answer)
  }
  process.on('message', (question: Question) => void answer(question))
}

const [, program, module] = process.argv
if (program === fileURLToPath(import.meta.url) && module !== undefined) void serve(module)
