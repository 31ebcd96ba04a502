import { migrate, rollback } from '../db/schema.ts'
import { invalidRequest } from '../domain/errors.ts'
import { inGroup } from './command.ts'
import { confirm, yesOption } from './terminal.ts'

export const schemaCommands = inGroup('Database', [
  {
    name: 'migrate',
    summary: 'Create the database if it is not there and apply the missing migrations.',
    options: {},
    run: async ({ deps: { config }, progress }) => ({
      applied: await migrate(config.databaseUrl, { tls: config.databaseTls, tell: progress.print }),
    }),
  },
  {
    name: 'rollback',
    summary: 'Take the latest batch of migrations back. Its tables and their rows are gone.',
    options: { 'yes-drop-data': yesOption },
    run: async (context, values) => {
      const { deps, progress } = context
      const { production, databaseUrl, databaseTls } = deps.config
      if (production)
        throw invalidRequest('rollback drops tables with their rows and is refused when NODE_ENV=production.')
      const { host, pathname } = new URL(databaseUrl)
      await confirm(context, values, {
        what: `rollback drops the tables of the latest migrations from ${pathname.slice(1)} at ${host}, with every row`,
        flag: 'yes-drop-data',
        otherwise: 'Nothing was taken back.',
      })
      return { applied: await rollback(databaseUrl, { tls: databaseTls, tell: progress.print }) }
    },
  },
])
