import type { Section } from '../layout/sections.ts'

/** A command that the palette offers. */
export type Command = {
  readonly id: string
  readonly name: string
  /** The heading of the group in which the command is shown. */
  readonly group: string
  /** A note with what the name does not say. */
  readonly note?: string
  readonly icon: Section['icon']
  readonly href: string
  /** The id of the webhook that gets a test event. Such a command opens no page. */
  readonly testOf?: { readonly id: string; readonly name: string }
}

/** The most commands that are shown. More than a screen would not help: the user types another letter. */
const SHOWN = 12

/** The commands whose name has each word of the text, in their order. */
export function matching(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.trim().toLowerCase().split(/\s+/)
  return commands
    .filter(({ name, id }) => words.every((word) => `${name} ${id}`.toLowerCase().includes(word)))
    .slice(0, SHOWN)
}

/** Groups the commands by heading, in the order in which the headings first occur. */
export function inGroups(
  commands: readonly Command[],
): readonly (readonly [group: string, commands: readonly Command[]])[] {
  const groups = new Map<string, Command[]>()
  for (const command of commands) groups.set(command.group, [...(groups.get(command.group) ?? []), command])
  return [...groups]
}
