import type { Command } from './command.js'
import { companyCommands } from './commands/company.js'
import { auditCommands } from './commands/audit.js'
import { deliveryCommands } from './commands/delivery.js'
import { eventCommands } from './commands/event.js'
import { keyCommands } from './commands/key.js'
import { noticeCommands } from './commands/notice.js'
import { recoveryCommands } from './commands/recovery.js'
import { secretsCommands } from './commands/secrets.js'
import { userCommands } from './commands/user.js'
import { webhookCommands } from './commands/webhook.js'
import { schemaCommands } from './schema.js'

/** The whole command line, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...schemaCommands,
  ...secretsCommands,
  ...companyCommands,
  ...userCommands,
  ...keyCommands,
  ...webhookCommands,
  ...deliveryCommands,
  ...recoveryCommands,
  ...eventCommands,
  ...noticeCommands,
  ...auditCommands,
]
