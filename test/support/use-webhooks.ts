import { COMMAND_LINE } from '../../src/domain/actor.ts'
import type { Tenant } from '../../src/domain/tenant.ts'
import {
  createWebhook,
  type CreatedWebhook,
  type NewWebhookInput,
} from '../../src/operations/webhook/create.ts'
import type { OperationsInUse } from './use-operations.ts'

/** The fields of a webhook that a caller gives, with what a test cares about set. */
export const webhookInput = (fields: Partial<NewWebhookInput> = {}): NewWebhookInput => ({
  name: 'a webhook',
  url: 'https://hooks.example.com/',
  events: ['contact.created'],
  ...fields,
})

/** Webhooks of the test's own company. */
export function useWebhooks(its: OperationsInUse) {
  const tenant = (): Tenant => ({ companyId: its.keyring.companyId, environment: 'live' })
  return {
    tenant,
    create: (fields?: Partial<NewWebhookInput>): Promise<CreatedWebhook> =>
      createWebhook(its.deps, tenant(), COMMAND_LINE, webhookInput(fields)),
    /** What the audit tells of an object, in order: `action details`. */
    audited: async (id: string): Promise<string[]> => {
      const rows = (await its.database
        .db('audit')
        .where({ company_id: tenant().companyId, subject_id: id })
        .orderBy('id')) as { action: string; details: string }[]
      return rows.map(({ action, details }) => `${action} ${details}`)
    },
    /** The kinds of the commands that wait for the company, in order. */
    queued: (): Promise<string[]> =>
      its.database.db('outbox').where({ company_id: tenant().companyId }).orderBy('id').pluck('kind'),
  }
}
