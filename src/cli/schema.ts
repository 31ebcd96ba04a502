import { migrate, rollback } from '../db/schema.ts'
import { ApiError } from '../domain/errors.ts'
import { isGiven, UsageError, type Command, type Terminal, type Values } from './command.ts'

export const schemaCommands: readonly Command[] = [
  {
    name: 'migrate',
    group: 'Database',
    summary: 'Create the database if it is not there and apply the missing migrations.',
    options: {},
    run: async ({ deps: { config }, progress }) => ({
      applied: await migrate(config.databaseUrl, { tls: config.databaseTls, tell: progress.print }),
    }),
  },
  {
    name: 'rollback',
    group: 'Database',
    summary: 'Take the latest batch of migrations back. Its tables and their rows are gone.',
    options: {
      'yes-drop-data': { help: 'Do not ask. Needed where nobody can answer, such as in a script.' },
    },
    run: async ({ deps, terminal, progress }, values) => {
      const { production, databaseUrl, databaseTls } = deps.config
      if (production) {
        throw new ApiError(
          'INVALID_REQUEST',
          'rollback drops tables with their rows and is refused when NODE_ENV=production.',
        )
      }
      await confirm(databaseUrl, terminal, values)
      return { applied: await rollback(databaseUrl, { tls: databaseTls, tell: progress.print }) }
    },
  },
]

/** @throws ApiError when the operator does not answer "yes"; UsageError when nobody can be asked */
async function confirm(databaseUrl: string, terminal: Terminal | undefined, values: Values): Promise<void> {
  if (isGiven(values, 'yes-drop-data')) return
  const { host, pathname } = new URL(databaseUrl)
  const losses = `rollback drops the tables of the latest migrations from ${pathname.slice(1)} at ${host}, with every row`
  if (!terminal) throw new UsageError(`${losses}. Without a terminal it needs --yes-drop-data.`)
  const answer = await terminal.ask(`${losses}. Type "yes" to go on: `)
  if (answer.trim().toLowerCase() !== 'yes') {
    throw new ApiError('INVALID_REQUEST', 'Nothing was taken back.')
  }
}
