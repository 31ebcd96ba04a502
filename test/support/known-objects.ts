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
export class KnownObjects {
  readonly #tenant: TestTenant
  readonly #ids = new Map<string, string>()

  constructor(tenant: TestTenant) {
    this.#tenant = tenant
  }

  async create(): Promise<void> {
    await this.#createWebhook()
    for (const family of Object.keys(BODIES)) await this.#createRecord(family)
  }

  /** The path with ids in place of `KNOWN_webhooks`, `KNOWN_deliveries`, `KNOWN_recoveries`, `KNOWN_events`, `KNOWN_contacts` and so on. */
  resolve(path: string): string {
    return path.replaceAll(/KNOWN_(\w+)/g, (_, family: string) => this.#ids.get(family) ?? '')
  }

  /** Puts another object in the place of the one that a DELETE of the (unresolved) path has removed. */
  async replaceDeleted(path: string): Promise<void> {
    const [, family = ''] = /KNOWN_(\w+)$/.exec(path) ?? []
    if (family === 'webhooks') await this.#createWebhook()
    else if (family in BODIES) await this.#createRecord(family)
  }

  async #createRecord(family: string): Promise<void> {
    this.#ids.set(family, await this.#post(`/api-v1-${family}`, BODIES[family]!))
  }

  /** With a delivery, which stays pending where no worker runs. */
  async #createWebhook(): Promise<void> {
    const id = await this.#post('/api-v1-webhooks', WEBHOOK)
    const eventId = await this.#post('/api-v1-events', { event: 'deal.deleted', data: {} })
    const { body } = await this.#tenant.request('GET', `/api-v1-webhooks/${id}/deliveries`)
    this.#ids.set('webhooks', id)
    this.#ids.set('events', eventId)
    this.#ids.set('deliveries', body.data[0].id as string)
    const recovery = await this.#post(
      `/api-v1-webhooks/${id}/recover`,
      { since: '2020-01-01T00:00:00Z' },
      202,
    )
    this.#ids.set('recoveries', recovery)
  }

  async #post(path: string, sent: object, expected = 201): Promise<string> {
    const { status, body } = await this.#tenant.request('POST', path, sent)
    if (status !== expected) throw new Error(`${path}: ${JSON.stringify(body)}`)
    return body.data.id as string
  }
}
