import { expect } from 'chai'
import { connect } from '../../../../src/db/connection/connection.ts'

describe('the connection to the database', () => {
  /** Where a connection to the URL goes; nothing connects yet. */
  async function settingsOf(url: string): Promise<Record<string, unknown>> {
    const db = connect(url)
    const { connection } = (db.client as { config: { connection: Record<string, unknown> } }).config
    await db.destroy()
    return connection
  }

  for (const [url, expected] of [
    ['mysql://u:p@db.example:3307/sales', { host: 'db.example', port: 3307 }],
    ['mysql://u:p@db.example/sales', { host: 'db.example', port: 3306 }],
    ['mysql://u:p@[::1]:3307/sales', { host: '::1', port: 3307 }],
    ['mysql://us%40er:p%2Fw@localhost/sales', { user: 'us@er', password: 'p/w', database: 'sales' }],
  ] as const)
    it(`goes from ${url} to ${Object.values(expected).join(', ')}`, async () => {
      expect(await settingsOf(url)).to.include(expected)
    })
})
