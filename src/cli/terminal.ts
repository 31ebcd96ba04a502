import { createInterface, type Interface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { invalidRequest } from '../domain/errors.ts'
import {
  UsageError,
  isGiven,
  type Progress,
  type Secrets,
  type Terminal,
  type CommandContext,
  type Values,
} from './command.ts'

/**
 * The operator's terminal; undefined when stdin or stderr is not a terminal, because then nobody can be asked. It asks on
 * stderr: stdout is for the result.
 */
export function findTerminal(): Terminal | undefined {
  const { stdin: input, stderr: output } = process
  if (!input.isTTY || !output.isTTY) return undefined
  return { ask: (question) => answerOf(createInterface({ input, output }), question) }
}

/** Asks the question. The answer is empty when Ctrl-D ends the input. */
async function answerOf(lines: Interface, question: string): Promise<string> {
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  try {
    return await Promise.race([lines.question(question), ended])
  } finally {
    lines.close()
  }
}

/** A program that calls the command line must send the secret on stdin within this time. */
const INPUT_LIMIT_MS = 10_000

/** Asks on a terminal, without showing what is typed. Without a terminal, it reads stdin to its end. */
export const findSecrets = (): Secrets => ({
  async read(question, option) {
    const { stdin, stderr } = process
    const secret = stdin.isTTY && stderr.isTTY ? await ask(question) : await readInput()
    if (secret === '') throw new UsageError(`${option} is needed, or its value on stdin.`)
    return secret
  },
})

async function ask(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  // Ask only now, after the interface has turned the terminal's echo off.
  process.stderr.write(question)
  return answerOf(lines, '').finally(() => process.stderr.write('\n'))
}

/** The text on stdin without its last line break; empty when stdin does not end in time. */
async function readInput(): Promise<string> {
  const timer = setTimeout(() => process.stdin.destroy(), INPUT_LIMIT_MS)
  try {
    const chunks: Buffer[] = []
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
      .toString('utf8')
      .replace(/\r?\n$/, '')
  } catch {
    return ''
  } finally {
    clearTimeout(timer)
  }
}

/** Where progress is shown: on stderr, because stdout is for the result. */
export function findProgress(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr): Progress {
  const print = (line: string) => void stream.write(`${line}\n`)
  if (!stream.isTTY) return { show: () => undefined, end: () => undefined, print }
  return {
    print,
    show: (line) => void stream.write(`\r\x1b[K${line}`),
    end: () => void stream.write('\n'),
  }
}

const BAR_LENGTH = 30

/**
 * `[######------------------------] 20 % 200 of 1000`. While the total is not known, it says so in place of the bar.
 */
export function progressBar(done: number, total: number | null): string {
  if (total === null) return `${done} of a number that is not counted`
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.floor(share * BAR_LENGTH)
  const bar = '#'.repeat(filled).padEnd(BAR_LENGTH, '-')
  return `[${bar}] ${String(Math.floor(share * 100)).padStart(3)} %  ${done} of ${total}`
}

/** What a command destroys, and how an operator agrees to it. */
type Loss = {
  /** A sentence without its full stop: what is lost. */
  readonly what: string
  /** The flag that replaces the question; by default "yes". */
  readonly flag?: string
  /** What the refusal says when the operator does not agree. */
  readonly otherwise: string
  /** What the operator types to agree, and how the question names it; by default "yes". */
  readonly answer?: { readonly text: string; readonly named: string }
}

/** The option of the flag that replaces the question. */
export const yesOption = { help: 'Do not ask. Needed where nobody can answer, such as in a script.' }

/**
 * Asks on the terminal before something is destroyed, unless the flag is given.
 *
 * @throws ApiError when the operator answers something else; UsageError when nobody can be asked
 */
export async function confirm(
  { terminal }: Pick<CommandContext, 'terminal'>,
  values: Values,
  { what, flag = 'yes', otherwise, answer = { text: 'yes', named: '"yes"' } }: Loss,
): Promise<void> {
  if (isGiven(values, flag)) return
  if (!terminal) throw new UsageError(`${what}. Without a terminal it needs --${flag}.`)
  const typed = await terminal.ask(`${what}. Type ${answer.named} to go on: `)
  if (typed.trim().toLowerCase() !== answer.text.toLowerCase()) throw invalidRequest(otherwise)
}
