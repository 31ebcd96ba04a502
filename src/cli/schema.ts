import { migrate, rollback } from '../db/schema.js'
import type { Command } from './command.js'

export const schemaCommands: readonly Command[] = [
  {
    name: 'migrate',
    summary: 'Create the database if it is not there and apply the missing migrations.',
    options: {},
    run: async ({ deps }) => ({ applied: await migrate(deps.config.databaseUrl, deps.config.databaseTls) }),
  },
  {
    name: 'rollback',
    summary: 'Take the latest batch of migrations back. Its tables and their rows are gone.',
    options: {},
    run: async ({ deps }) => ({ applied: await rollback(deps.config.databaseUrl, deps.config.databaseTls) }),
  },
]
