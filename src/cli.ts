import { completionCommands } from './cli/commands/completion.ts'
import { commandFirst } from './cli/parse.ts'
import { LISTEN } from './listen/command.ts'

const args = process.argv.slice(2)

/** Loads only the code of the named command, so that `listen` need not wait until the operator's commands are loaded. */
async function runNamed(name: string | undefined): Promise<number> {
  if (name === 'listen') return import('./listen/run.ts').then(({ runListen }) => runListen(args))
  if (name === 'completion')
    return import('./cli/completion.ts').then(({ runCompletion }) => runCompletion(args))
  return import('./cli/run.ts').then(({ runCli }) => runCli(args))
}

process.exitCode = await runNamed(commandFirst(args, [LISTEN, ...completionCommands])[0])
