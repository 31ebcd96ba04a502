import { ApiError } from '../domain/errors.ts'
import { isGiven, UsageError, type CommandContext, type Values } from './command.ts'

/** What a command destroys, and how an operator agrees to it. */
type Loss = {
  /** A sentence without its full stop: what is lost. */
  readonly what: string
  /** The flag in place of the question. */
  readonly flag: string
  /** What is true when the operator does not agree. */
  readonly otherwise: string
  /** What the operator types to agree, and how the question names it; by default "yes". */
  readonly answer?: { readonly text: string; readonly named: string }
}

/** The option that stands for the flag. */
export const yesOption = { help: 'Do not ask. Needed where nobody can answer, such as in a script.' }

/**
 * Asks on the terminal before something is destroyed, unless the flag is given.
 *
 * @throws ApiError when the operator answers something else; UsageError when nobody can be asked
 */
export async function confirm(
  { terminal }: Pick<CommandContext, 'terminal'>,
  values: Values,
  { what, flag, otherwise, answer = { text: 'yes', named: '"yes"' } }: Loss,
): Promise<void> {
  if (isGiven(values, flag)) return
  if (!terminal) throw new UsageError(`${what}. Without a terminal it needs --${flag}.`)
  const typed = await terminal.ask(`${what}. Type ${answer.named} to go on: `)
  if (typed.trim().toLowerCase() !== answer.text.toLowerCase())
    throw new ApiError('INVALID_REQUEST', otherwise)
}
