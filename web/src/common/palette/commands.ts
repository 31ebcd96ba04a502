import type { Section } from '../layout/sections.ts'

/** Something that the palette offers. */
export type Command = {
  readonly id: string
  readonly name: string
  /** The heading that it stands below. */
  readonly group: string
  /** What its name does not tell. */
  readonly note?: string
  readonly icon: Section['icon']
  readonly href: string
  /** The webhook that gets a test event, in place of a page that opens. */
  readonly testOf?: { readonly id: string; readonly name: string }
}

/** So many are shown: who sees more than a screen types another letter. */
const SHOWN = 12

/** Commands that have each word of the text in their name, in their order. */
export function matching(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.trim().toLowerCase().split(/\s+/)
  return commands
    .filter(({ name, id }) => words.every((word) => `${name} ${id}`.toLowerCase().includes(word)))
    .slice(0, SHOWN)
}

/** The commands below their headings, in the order in which these come first. */
export function inGroups(
  commands: readonly Command[],
): readonly (readonly [group: string, commands: readonly Command[]])[] {
  const groups = new Map<string, Command[]>()
  for (const command of commands) groups.set(command.group, [...(groups.get(command.group) ?? []), command])
  return [...groups]
}
