import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { UsageError, type Secrets } from './command.ts'

/** How long a program that calls the command line has to send the secret. */
const INPUT_LIMIT_MS = 10_000

/** Asks on a terminal, without showing what is typed; elsewhere reads stdin to its end. */
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
  // Only now: the interface has turned the terminal's echo off.
  process.stderr.write(question)
  const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  try {
    return await Promise.race([lines.question(''), ended])
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
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
