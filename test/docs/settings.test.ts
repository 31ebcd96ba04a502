import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { readConfig } from '../../src/config/index.ts'
import { variables } from '../../src/config/variables.ts'
import { ROOT } from './documents.ts'

const REQUIRED = {
  DATABASE_URL: 'mysql://user:password@127.0.0.1:3306/sales_data',
  SECRETS_KEYS: `test:${Buffer.alloc(32).toString('base64')}`,
}

type Described = { keys: Record<string, { flags?: { default?: unknown } }> }

/** Names and texts of the variables with a default that .env.example writes out. */
function shownDefaults(): [string, string][] {
  const { keys } = variables.describe() as Described
  const lines = readFileSync(path.join(ROOT, '.env.example'), 'utf8').matchAll(/^#([A-Z0-9_]+)=(.+)$/gm)
  return [...lines]
    .map(([, name = '', value = '']): [string, string] => [name, value])
    .filter(([name]) => keys[name]?.flags?.default !== undefined)
}

describe('.env.example', () => {
  it('shows the defaults that hold', () => {
    const unset = readConfig(REQUIRED)
    expect(shownDefaults()).to.have.length.above(10)
    for (const [name, value] of shownDefaults()) {
      expect(readConfig({ ...REQUIRED, [name]: value }), name).to.deep.equal(unset)
    }
  })
})
