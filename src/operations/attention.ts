import { countOpenNotices } from '../db/notice/marks.ts'
import { readCounters, toWebhookCounters } from '../db/webhook/counters.ts'
import { readHealths } from '../db/webhook/health-rows.ts'
import { findWebhooks, listDeactivatedIds, listWebhookIds } from '../db/webhook/lists.ts'
import { DAY_MS } from '../domain/instants.ts'
import type { NoticeReader } from '../domain/notice/notice.ts'
import type { Tenant } from '../domain/tenant.ts'
import { healthState } from '../domain/webhook/health.ts'
import type { WebhookView } from '../domain/webhook/webhook.ts'
import type { Deps } from '../deps/deps.ts'
import { listExpiringKeys } from './key/read.ts'
import { viewWebhooks } from './webhook/read.ts'
import type { NamedKey } from '../domain/key/key.ts'

/** At most this many webhooks are listed, and this many keys. The count `unwell` includes unlisted webhooks. */
const NAMED_AT_MOST = 100

/** A key needs attention when it ends within this time. */
const KEY_ENDS_SOON_MS = 7 * DAY_MS

/** What needs attention in an environment. */
export type Attention = {
  readonly webhooks: number
  /** How many active webhooks have a failed latest attempt, plus how many webhooks the service has deactivated. */
  readonly unwell: number
  /** How many deliveries are open. */
  readonly waiting: number
  /** How many of the newest notices are open for the reader; see countOpenNotices. */
  readonly openNotices: number
  /**
   * The unwell webhooks, 100 at most. Deactivated webhooks come first. Failing webhooks follow, those with the most
   * waiting deliveries first. If two have equally many, the one that has failed longer comes first.
   */
  readonly unwellWebhooks: readonly WebhookView[]
  /** The keys that end within 7 days, 100 at most, the earliest end first. */
  readonly expiringKeys: readonly NamedKey[]
}

/** Reads all webhooks and keys of the tenant. WEBHOOKS_PER_TENANT limits how many webhooks there are. */
export async function readAttention(deps: Deps, reader: NoticeReader): Promise<Attention> {
  const { db } = deps
  const { tenant } = reader
  const ids = await listWebhookIds(db, tenant)
  const deactivated = await listDeactivatedIds(db, tenant)
  const counters = await readCounters(db, tenant, ids)
  const waiting = new Map([...counters].map(([id, sums]) => [id, toWebhookCounters(sums).waiting]))
  const waitingOf = (id: string) => waiting.get(id) ?? 0
  const failing = await listFailing(deps, tenant, ids)
  const unwell = [...deactivated, ...failing.toSorted((a, b) => waitingOf(b) - waitingOf(a))]
  const named = unwell.slice(0, NAMED_AT_MOST)
  const views = await viewWebhooks(deps, tenant, await findWebhooks(db, tenant, named))
  return {
    webhooks: ids.length,
    unwell: unwell.length,
    waiting: [...waiting.values()].reduce((sum, number) => sum + number, 0),
    openNotices: await countOpenNotices(db, reader),
    unwellWebhooks: views.toSorted((a, b) => named.indexOf(a.webhook.id) - named.indexOf(b.webhook.id)),
    expiringKeys: await listExpiringKeys(deps, tenant, KEY_ENDS_SOON_MS, NAMED_AT_MOST),
  }
}

/** Lists the ids of the webhooks whose endpoints fail. The webhook that has failed longest comes first. */
async function listFailing({ db }: Deps, tenant: Tenant, ids: readonly string[]): Promise<string[]> {
  const since = ({ failingSince }: { failingSince: Date | null }) => failingSince?.getTime() ?? 0
  return [...(await readHealths(db, tenant, ids))]
    .filter(([, read]) => healthState(read, read.health) === 'failing')
    .toSorted(([, a], [, b]) => since(a.health) - since(b.health))
    .map(([id]) => id)
}
