import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/*
 * Runs the exported functions of a module in a process of its own, so that they take no time from the one that measures. As a
 * program: node child.ts <module URL>. It ends with the process that started it.
 */

type Exported<Module, Name extends keyof Module> = Extract<Module[Name], (argument: never) => unknown>
type Question = { readonly id: number; readonly name: string; readonly argument: unknown }
type Answer = { readonly id: number; readonly result?: unknown; readonly error?: unknown }

/** A process that runs the functions of a module, one or several at a time. */
export type Child<Module> = {
  readonly pid: number
  call: <Name extends keyof Module & string>(
    name: Name,
    ...argument: Parameters<Exported<Module, Name>>
  ) => Promise<Awaited<ReturnType<Exported<Module, Name>>>>
  /** Ends it at once. */
  end: () => Promise<void>
}

/** Starts a process for a module; resolves once it takes calls. @param module such as new URL('./load.ts', import.meta.url) */
export async function startChild<Module>(module: URL): Promise<Child<Module>> {
  const child = fork(fileURLToPath(import.meta.url), [String(module)], { serialization: 'advanced' })
  const open = new Map<number, PromiseWithResolvers<unknown>>()
  let count = 0
  child.on('message', ({ id, result, error }: Answer) => {
    if (error === undefined) open.get(id)?.resolve(result)
    else open.get(id)?.reject(error)
    open.delete(id)
  })
  const early = () => new Error(`the process of ${module.pathname} ended early`)
  const exit = once(child, 'exit').then(() => open.forEach(({ reject }) => reject(early())))
  await Promise.race([once(child, 'message'), exit.then(() => Promise.reject(early()))])
  function call(name: string, argument?: unknown) {
    const answer = Promise.withResolvers<unknown>()
    open.set(++count, answer)
    child.send({ id: count, name, argument } satisfies Question)
    return answer.promise
  }
  return {
    pid: child.pid ?? 0,
    call: call as unknown as Child<Module>['call'],
    async end() {
      child.kill('SIGKILL')
      await exit
    },
  }
}

async function serve(module: string): Promise<void> {
  const functions = (await import(module)) as Record<string, (argument: unknown) => unknown>
  process.on('disconnect', () => process.exit())
  process.on('message', ({ id, name, argument }: Question) => {
    void Promise.resolve(argument)
      .then((given) => functions[name]!(given))
      .then(
        (result) => process.send!({ id, result } satisfies Answer),
        (error: unknown) => process.send!({ id, error } satisfies Answer),
      )
  })
  process.send!({ id: 0 } satisfies Answer)
}

const [, program, module] = process.argv
if (program === fileURLToPath(import.meta.url) && module !== undefined) void serve(module)
