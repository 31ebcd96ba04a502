import { expect } from 'chai'
import { createUserArgs } from '../../scripts/demo/seed.mjs'
import { COMMANDS } from '../../src/cli/commands.ts'
import { parseCommandLine } from '../../src/cli/parse.ts'

describe('the user of the demo', () => {
  it('is made whatever the random password begins with', () => {
    for (const password of ['-rX0', '--json', '=a']) {
      const parsed = parseCommandLine(
        COMMANDS,
        createUserArgs('company', { email: 'a@example.com', password }),
      )
      expect(parsed.kind === 'run' && parsed.values['password'], password).to.equal(password)
    }
  })
})
