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

  it('goes to the host and port of the URL, MySQL’s own port by default', async () => {
    expect(await settingsOf('mysql://u:p@db.example:3307/sales')).to.include({
      host: 'db.example',
      port: 3307,
    })
    expect(await settingsOf('mysql://u:p@db.example/sales')).to.include({ host: 'db.example', port: 3306 })
  })

  it('takes an IPv6 address out of its brackets', async () => {
    expect(await settingsOf('mysql://u:p@[::1]:3307/sales')).to.include({ host: '::1', port: 3307 })
  })

  it('reads user, password and database with their percent escapes', async () => {
    const account = { user: 'us@er', password: 'p/w', database: 'sales' }
    expect(await settingsOf('mysql://us%40er:p%2Fw@localhost/sales')).to.include(account)
  })
})
