import { setTimeout as delay } from 'node:timers/promises'
import { commandFirst, parseCommandLine, wantsJson } from '../cli/parse.ts'
import { hasColours, textOf } from '../cli/people/style.ts'
import { describeRefusal, failure, print, printFailure } from '../cli/print.ts'
import { findSecrets } from '../cli/terminal.ts'
import { LISTEN, readListenSettings } from './command.ts'
import { Listener } from './listener.ts'
import { Report } from './report.ts'

/** How long to wait for npm's repetition of a Ctrl-C. It would kill Node while Node ends, and lose the exit code. */
const REPEATS_MS = 200

const NO_STYLE = { isUtc: true, isColoured: false }

/**
 * Runs `listen` until Ctrl-C. Loads neither database nor Temporal: it runs on developers' machines, and starts at once.
 *
 * @param args with or without the word `listen`
 * @param call how a shell calls the program; by default as the operator's command line
 * @returns the exit code
 */
export async function runListen(args: readonly string[], call?: string): Promise<number> {
  const isJson = wantsJson(args)
  try {
    const named = commandFirst(args, [LISTEN])[0] === LISTEN.name ? args : [LISTEN.name, ...args]
    const parsed = parseCommandLine([LISTEN], named, call)
    if (parsed.kind === 'help') {
      print(parsed.text)
      return 0
    }
    const settings = await readListenSettings(parsed.values, findSecrets())
    const report = new Report(isJson, { isUtc: parsed.isUtc, isColoured: hasColours(process.stdout) })
    const listener = new Listener(settings, report, stopSignal())
    try {
      await listener.run()
    } finally {
      report.summary(listener.cursor)
    }
    await delay(REPEATS_MS)
    return 0
  } catch (error) {
    const found = describeRefusal(error) ?? failure('INTERNAL_ERROR', String(error))
    // The api, or whoever answers at its address, wrote a part of the message.
    const message = isJson ? found.message : textOf(found.message, NO_STYLE)
    return printFailure({ ...found, message }, isJson)
  }
}

/** Aborts at Ctrl-C, and when nobody reads stdout any more. */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  const stop = () => controller.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
  process.stdout.on('error', stop)
  return controller.signal
}
