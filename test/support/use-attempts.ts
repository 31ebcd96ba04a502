import { AttemptLog } from '../../src/attempts/attempt-log.ts'
import { Attempts } from '../../src/attempts/attempt-delivery.ts'
import type { DirectStart } from '../../src/attempts/attempt-under-way.ts'
import { Slots } from '../../src/attempts/slots.ts'
import { COMMAND_LINE } from '../../src/domain/actor.ts'
import type { MadeAttempt } from '../../src/domain/delivery/outcome.ts'
import { parseNetworks } from '../../src/domain/net/networks.ts'
import { signWebhook } from '../../src/domain/webhook/signing.ts'
import { publishEvents } from '../../src/operations/event/publish.ts'
import { createWebhook } from '../../src/operations/webhook/create.ts'
import { regenerateSecret } from '../../src/operations/webhook/secret.ts'
import type { SystemDeps } from '../../src/deps/deps.ts'
import { setUpSender } from './sender-setup.ts'
import { newLimits } from './endpoint-limits.ts'
import { useOperations } from './use-operations.ts'

/** What the caller gives an attempt. */
const WHOLE_MS = 30_000
export const SLOTS = 5

/** Attempts at a real endpoint and on a real database, with a clock that the test moves. */
export function useAttempts() {
  const its = useOperations()
  const wire = setUpSender()
  const { tenant } = its

  /** A webhook for the endpoint, and attempts of its deliveries. The clock stands still unless the test moves it. */
  async function setUp() {
    const clock = { nowMs: Date.now() }
    const deps: SystemDeps = {
      ...its.deps,
      config: { ...its.deps.config, webhookAllowedNetworks: parseNetworks('127.0.0.1/32') },
      clock: () => new Date(clock.nowMs),
    }
    const input = { name: 'a webhook', url: wire.endpoint.url, events: ['contact.created'] }
    const { webhook, secret } = await createWebhook(deps, tenant(), COMMAND_LINE, input)
    const slots = new Slots({ limit: () => SLOTS, capacity: SLOTS, now: () => clock.nowMs })
    const recorded: MadeAttempt[] = []
    const setup = {
      deps,
      clock,
      slots,
      recorded,
      secret,
      id: webhook.id,
      remove: its.remove,
      suspend: its.suspend,
      resume: its.resume,
      /** What an attempt before has sent, and could not record yet. */
      unwritten: undefined as MadeAttempt | undefined,
      /** Runs when the connection of the next attempt is ready, before the attempt goes on. */
      whenConnected: (): Promise<void> => Promise.resolve(),
      newSecret: async () => (await regenerateSecret(deps, tenant(), COMMAND_LINE, webhook.id)).secret,
      async publish(data: object = {}): Promise<string> {
        await publishEvents(deps, tenant(), [{ type: 'contact.created', data }])
        const row = await its
          .db('deliveries')
          .where({ webhook_id: webhook.id })
          .orderBy('created_at', 'desc')
          .first('id')
        return row.id
      },
      make: async (deliveryId: string) => attempts.make(deliveryId, WHOLE_MS),
      /** Claims the delivery's first attempt for a worker, as the relay does. */
      async claim(deliveryId: string, owner = 'w1'): Promise<DirectStart> {
        const claims = await its.claim(webhook.id, { owner, leaseMs: WHOLE_MS })
        const { row, delivery: rows } = claims.find((claim) => claim.row.targetId === deliveryId)!
        const lease = { rowId: row.id, version: row.version, owner }
        return { rows: rows!, lease, leaseMs: WHOLE_MS, claimedAtMs: clock.nowMs, isRepeated: row.tries > 0 }
      },
      /** Ends the lease of the delivery's start row, as time would. */
      endLease: async (deliveryId: string) => {
        await deps
          .db('outbox')
          .where({ subject_id: deliveryId })
          .update({ available_at: new Date(0) })
      },
      makeDirect: (start: DirectStart) => attempts.makeDirect(start),
    }
    const attempts = new Attempts(deps, {
      sender: {
        async connect(connectInput) {
          const connection = await wire.sender.connect(connectInput)
          await setup.whenConnected()
          return connection
        },
      },
      recorder: {
        record(made) {
          recorded.push(made)
          return Promise.resolve({ kind: 'stale' })
        },
        unrecorded: () => setup.unwritten,
        isStuck: () => false,
      },
      attemptLog: new AttemptLog(deps.log),
      slots,
      testSlots: slots,
      limits: newLimits(deps),
    })
    return setup
  }

  /** Whether the request that arrived at the endpoint last is signed with the secret. */
  function isSignedWith(secret: string): boolean {
    const [head = '', body = ''] = wire.endpoint.requests.at(-1)?.split('\r\n\r\n') ?? []
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1]?.trim() ?? ''
    const signature = signWebhook({
      secret,
      id: header('webhook-id'),
      timestampSeconds: Number(header('webhook-timestamp')),
      body: Buffer.from(body, 'latin1'),
    })
    return header('webhook-signature') === signature
  }

  return { its, wire, tenant, setUp, isSignedWith }
}
