import { createInterface } from 'node:readline/promises'
import type { Terminal } from './command.ts'

/**
 * The operator's terminal; undefined when stdin or stderr is not a terminal, because then nobody can be asked. It asks on
 * stderr: stdout is for the result.
 */
export function findTerminal(): Terminal | undefined {
  const { stdin: input, stderr: output } = process
  if (!input.isTTY || !output.isTTY) return undefined
  return {
    async ask(question) {
      const lines = createInterface({ input, output })
      // Ctrl-D ends the input without an answer.
      const ended = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
      try {
        return await Promise.race([lines.question(question), ended])
      } finally {
        lines.close()
      }
    },
  }
}
