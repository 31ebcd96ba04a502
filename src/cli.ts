import { commandFirst } from './cli/parse.ts'

const args = process.argv.slice(2)

/** The command line. `listen` needs nothing of the service, so it must not wait until the operator's commands are loaded. */
process.exitCode =
  commandFirst(args)[0] === 'listen'
    ? await import('./listen/run.ts').then(({ runListen }) => runListen(args))
    : await import('./cli/run.ts').then(({ runCli }) => runCli(args))
