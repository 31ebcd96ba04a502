import { keyCommands } from './api-keys.js'
import type { Command } from './command.js'
import { companyCommands } from './companies.js'
import { eventCommands } from './events.js'
import { schemaCommands } from './schema.js'
import { userCommands } from './users.js'

/** The whole command line, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...schemaCommands,
  ...companyCommands,
  ...userCommands,
  ...keyCommands,
  ...eventCommands,
]
