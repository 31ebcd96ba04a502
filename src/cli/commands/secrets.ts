import { resealSecrets } from '../../operations/operator/reseal.ts'
import { presentReseal } from '../../presenters/operator.ts'
import { inGroup, isGiven } from '../command.ts'

const DETAILS = `Run it as the last step of a change of SECRETS_KEYS, when every process has the new key first. You may run it again at
any time: what is sealed under the first key is left alone. Then remove the old key.`

export const secretsCommands = inGroup('Database', [
  {
    name: 'secrets reseal',
    summary: 'Encrypt secrets, headers, kept answers and waiting mails with the first key of SECRETS_KEYS.',
    details: DETAILS,
    options: {
      'dry-run': { help: 'Open everything and count what would be encrypted, but change nothing.' },
    },
    run: async ({ deps }, values) =>
      presentReseal(await resealSecrets(deps, { isDryRun: isGiven(values, 'dry-run') })),
  },
])
