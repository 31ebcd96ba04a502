import type { Command } from './command.js'
import { companyCommands } from './commands/company.js'
import { eventCommands } from './commands/event.js'
import { keyCommands } from './commands/key.js'
import { userCommands } from './commands/user.js'
import { schemaCommands } from './schema.js'

/** The whole command line, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...schemaCommands,
  ...companyCommands,
  ...userCommands,
  ...keyCommands,
  ...eventCommands,
]
