import { LISTEN } from '../listen/command.ts'
import type { Command } from './command.ts'
import { auditCommands } from './commands/audit.ts'
import { companyCommands } from './commands/company.ts'
import { completionCommands } from './commands/completion.ts'
import { deliveryCommands } from './commands/delivery.ts'
import { eventCommands } from './commands/event.ts'
import { keyCommands } from './commands/key.ts'
import { noticeCommands } from './commands/notice.ts'
import { recoveryCommands } from './commands/recovery.ts'
import { secretsCommands } from './commands/secrets.ts'
import { statusCommands } from './commands/status.ts'
import { userCommands } from './commands/user.ts'
import { webhookCommands } from './commands/webhook.ts'
import { schemaCommands } from './schema.ts'

/** All commands, in the order in which the help lists them. */
export const COMMANDS: readonly Command[] = [
  ...statusCommands,
  ...schemaCommands,
  ...secretsCommands,
  ...companyCommands,
  ...userCommands,
  ...keyCommands,
  ...webhookCommands,
  ...deliveryCommands,
  ...recoveryCommands,
  ...eventCommands,
  LISTEN,
  ...noticeCommands,
  ...auditCommands,
  ...completionCommands,
]
