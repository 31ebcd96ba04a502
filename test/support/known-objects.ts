import type { TestTenant } from './tenants.ts'

const WEBHOOK = { name: 'known', url: 'https://example.com/hook', events: ['deal.deleted'] }
const BODIES: Readonly<Record<string, object>> = {
  contacts: { name: 'known' },
  organizations: { name: 'known' },
  deals: { name: 'known' },
  activities: { type: 'call', subject: 'known' },
  tasks: { name: 'known' },
}

/** One object of every kind that exists, for requests to reach what lies behind the 404. */
export async function makeKnownObjects(tenant: TestTenant) {
  const ids = new Map<string, string>()
  async function post(path: string, sent: object): Promise<string> {
    const { status, body } = await tenant.request('POST', path, sent)
    if (status !== 201 && status !== 202) throw new Error(`${path}: ${JSON.stringify(body)}`)
    return body.data.id as string
  }
  const makeRecord = async (family: string) => {
    ids.set(family, await post(`/api-v1-${family}`, BODIES[family]!))
  }
  /** With a delivery, which stays pending where no worker runs. */
  async function makeWebhook(): Promise<void> {
    const id = await post('/api-v1-webhooks', WEBHOOK)
    ids.set('webhooks', id)
    ids.set('events', await post('/api-v1-events', { event: 'deal.deleted', data: {} }))
    const { body } = await tenant.request('GET', `/api-v1-webhooks/${id}/deliveries`)
    ids.set('deliveries', body.data[0].id as string)
    ids.set('recoveries', await post(`/api-v1-webhooks/${id}/recover`, { since: '2020-01-01T00:00:00Z' }))
  }
  await makeWebhook()
  for (const family of Object.keys(BODIES)) await makeRecord(family)
  return {
    /** The path with ids in place of `KNOWN_webhooks`, `KNOWN_deliveries`, `KNOWN_contacts` and so on. */
    resolve: (path: string): string =>
      path.replaceAll(/KNOWN_(\w+)/g, (_, kind: string) => ids.get(kind) ?? ''),
    /** Puts another object in the place of the one that a DELETE of the (unresolved) path has removed. */
    async replaceDeleted(path: string): Promise<void> {
      const [, family = ''] = /KNOWN_(\w+)$/.exec(path) ?? []
      if (family === 'webhooks') await makeWebhook()
      else if (family in BODIES) await makeRecord(family)
    },
  }
}
