import { Account, compareAll } from '../../soak/account/account.ts'
import type { RecoveryRow } from '../../soak/account/rows.ts'
import type { Kill } from '../../soak/kills.ts'
import { Ledger } from '../../soak/ledger.ts'
import type { Seen } from '../../soak/record.ts'
import { SoakWebhook } from '../../soak/webhooks.ts'

/** Long after the webhook became active, so that no margin reaches back to its creation. */
const AT_MS = Date.now() + 3_600_000

/** One event that was accepted and delivered at the first attempt, as everybody knows it. */
function createWorld() {
  const webhook = new SoakWebhook({ path: '/w0', types: ['contact.created'], kind: 'good' })
  webhook.id = 'whk_0'
  webhook.become('active')
  const ledger = new Ledger()
  const tag = ledger.nextTag()
  const event = { id: 'evt_1', tag, type: 'contact.created', deliveries: 1 }
  ledger.accept({ ...event, sentAtMs: AT_MS, answeredAtMs: AT_MS + 10 })
  const seen: Seen = { path: '/w0', id: 'evt_1', atMs: AT_MS + 20, status: 200, isCut: false, secret: 0 }
  const webhookRow = { id: 'whk_0', path: '/w0', isActive: true, deletedAt: null }
  const delivery = {
    id: 'del_1',
    webhook: webhookRow,
    eventId: 'evt_1',
    status: 'success',
    attempts: 1,
    maxAttempts: 6,
    closedReason: null as string | null,
    parkedAt: null,
    log: [{ number: 1, status: 200 as number | null, error: null as string | null }],
    isOriginal: true,
    resendOf: null as string | null,
    createdAt: new Date(AT_MS),
    closedAt: new Date(AT_MS + 30),
  }
  const body = Buffer.from(JSON.stringify({ id: 'evt_1', data: { tag } }))
  const eventRow = { id: 'evt_1', type: 'contact.created', body, deliveries: 1 }
  return {
    ledger,
    webhooks: [webhook],
    record: { seen: [seen], retiredAtMs: () => Infinity },
    kills: [] as Kill[],
    endpoints: { spells: [] },
    rows: {
      webhooks: [webhookRow],
      events: [eventRow],
      deliveries: [delivery],
      recoveries: [] as RecoveryRow[],
      commands: [] as object[],
    },
    running: [] as { id: string; type: string }[],
  }
}

export type World = ReturnType<typeof createWorld>

/** The account of a world in which something is changed. */
export function accountOf(change: (world: World) => unknown): Account {
  const world = createWorld()
  change(world)
  const account = new Account()
  compareAll(account, world as unknown as Parameters<typeof compareAll>[1])
  return account
}

export const [first, second] = [AT_MS + 20, AT_MS + 9_000]
/** The endpoint got the event once more, and answered as before. */
export const again = (world: World) => world.record.seen.push({ ...world.record.seen[0]!, atMs: second })
export const killed = (part: Kill['part'], atMs: number): Kill => ({
  part,
  atMs,
  readyAtMs: atMs + 1_000,
})
export const failed = { status: 'failed', closedReason: 'attempts_used' }
