// Also on MySQL with direct attempts: its transactions lock rows.
import { expect } from 'chai'
import { AttemptLog } from '../../../src/attempts/attempt-log.ts'
import { Attempts } from '../../../src/attempts/attempt-delivery.ts'
import type { DirectStart } from '../../../src/attempts/attempt-under-way.ts'
import { Slots } from '../../../src/attempts/slots.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import type { MadeAttempt } from '../../../src/domain/delivery/outcome.ts'
import { parseNetworks } from '../../../src/domain/net/addresses.ts'
import { signWebhook } from '../../../src/domain/webhook/signing.ts'
import { publishEvents } from '../../../src/operations/event/publish.ts'
import { createWebhook } from '../../../src/operations/webhook/create.ts'
import { regenerateSecret } from '../../../src/operations/webhook/secret.ts'
import type { SystemDeps } from '../../../src/deps/deps.ts'
import { newLimits } from '../../support/endpoint-limits.ts'
import { answered, madeAttempt } from '../../support/made-attempts.ts'
import { answer } from '../../support/raw-endpoint.ts'
import { setUpSender } from '../../support/sender-setup.ts'
import { useOperations, webhookInput } from '../../support/use-operations.ts'

/** The arguments that the caller passes to an attempt. */
const WHOLE_MS = 30_000
const SLOTS = 5

// decision: Age of the rows
describe('an attempt', () => {
  const all = useOperations()
  const wire = setUpSender()
  const { tenant } = all
  const READ_AGAIN = { kind: 'deferred', delayMs: 0 }

  /** A webhook for the endpoint, with functions that attempt its deliveries. Only the test moves the clock. */
  async function setUp() {
    const clock = { nowMs: Date.now() }
    const deps: SystemDeps = {
      ...all.deps,
      config: { ...all.deps.config, webhookAllowedNetworks: parseNetworks('127.0.0.1/32') },
      clock: () => new Date(clock.nowMs),
    }
    const input = webhookInput({ url: wire.endpoint.url })
    const { webhook, secret } = await createWebhook(deps, tenant(), COMMAND_LINE, input)
    const slots = new Slots({ limit: () => SLOTS, capacity: SLOTS, now: () => clock.nowMs })
    const recorded: MadeAttempt[] = []
    const its = {
      deps,
      clock,
      slots,
      recorded,
      secret,
      id: webhook.id,
      /** The outcome that an earlier attempt has sent and could not record yet. */
      unwritten: undefined as MadeAttempt | undefined,
      /** Runs when the next attempt's connection is ready, before the attempt continues. */
      whenConnected: (): Promise<void> => Promise.resolve(),
      newSecret: async () => (await regenerateSecret(deps, tenant(), COMMAND_LINE, webhook.id)).secret,
      async publish(data: object = {}): Promise<string> {
        const [event] = await publishEvents(deps, tenant(), [{ type: 'contact.created', data }])
        return (await all.rowsOf(webhook.id)).find((row) => row.event_id === event?.id)!.id
      },
      make: async (deliveryId: string) => attempts.make(deliveryId, WHOLE_MS),
      /** Claims the delivery's first attempt for a worker, as the relay does. */
      async claim(deliveryId: string, owner = 'w1'): Promise<DirectStart> {
        const claims = await all.claim(webhook.id, { owner, leaseMs: WHOLE_MS })
        const { row, delivery: rows } = claims.find((claim) => claim.row.targetId === deliveryId)!
        const lease = { rowId: row.id, version: row.version, owner }
        return { rows: rows!, lease, leaseMs: WHOLE_MS, claimedAtMs: clock.nowMs, isRepeated: row.tries > 0 }
      },
      /** Ends the lease of the delivery's start row, as the passing of time would. */
      endLease: (deliveryId: string) =>
        all.set('outbox', { subject_id: deliveryId }, { available_at: new Date(0) }),
      makeDirect: (start: DirectStart) => attempts.makeDirect(start),
    }
    const attempts = new Attempts(deps, {
      sender: {
        send: (target, sign) =>
          wire.sender.send(target, async (within) => {
            await its.whenConnected()
            return sign(within)
          }),
      },
      recorder: {
        record(made) {
          recorded.push(made)
          return Promise.resolve({ kind: 'stale' })
        },
        unrecorded: () => its.unwritten,
        isStuck: () => false,
      },
      attemptLog: new AttemptLog(deps.log),
      slots,
      testSlots: slots,
      limits: newLimits(deps),
    })
    return its
  }

  /** Whether the endpoint's last request is signed with the secret. */
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

  /** Runs the work once the connection is ready, which takes longer than the allowed age of rows. */
  const meanwhile = (its: Awaited<ReturnType<typeof setUp>>, work: () => Promise<unknown>) => {
    its.whenConnected = async () => {
      await work()
      its.clock.nowMs += 251
    }
  }

  async function published() {
    const its = await setUp()
    return { its, delivery: await its.publish() }
  }
  /** A delivery, and the claim of its first attempt. */
  async function claimed() {
    const { its, delivery: id } = await published()
    return { its, id, start: await its.claim(id) }
  }

  it('reads its rows again when they are older than 250 ms, and sends nothing after an answered deletion', async () => {
    const { its, delivery } = await published()
    meanwhile(its, () => all.remove(its.id))
    expect(await its.make(delivery)).to.deep.equal(READ_AGAIN)
    expect([wire.endpoint.requests, its.recorded, its.slots.freeOfAll()]).to.deep.equal([[], [], SLOTS])
    expect(await its.make(delivery)).to.deep.equal({ kind: 'closed', ending: 'cancelled' })
  })

  // decision: Former secret
  it('signs with a new secret that was answered meanwhile', async () => {
    const { its, delivery } = await published()
    let secret = its.secret
    meanwhile(its, async () => {
      secret = await its.newSecret()
    })
    await its.make(delivery)
    expect([isSignedWith(secret), isSignedWith(its.secret)]).to.deep.equal([true, false])
    expect(its.recorded).to.have.length(1)
    const startedAt = new Date(its.clock.nowMs - 251)
    expect(its.recorded[0]).to.deep.include({ webhookVersionAtGate: 2, startedAt })
  })

  // decision: A dead kept connection
  it('signs anew, from rows read anew when they are old, for the connection that replaces a dead one', async () => {
    const its = await setUp()
    await its.make(await its.publish())
    let secret = its.secret
    const replaceSecret = async () => {
      secret = await its.newSecret()
      its.clock.nowMs += 251
    }
    wire.respond = (socket, index) => {
      if (index === 1) void replaceSecret().then(() => socket.destroy())
      else socket.write(answer(200))
    }
    await its.make(await its.publish())
    expect(wire.endpoint.requests).to.have.length(3)
    expect(isSignedWith(secret)).to.equal(true)
    expect(its.recorded[1]?.outcome).to.include({ kind: 'answered', status: 200 })
  })

  it('records what was sent before in place of sending again, also when that is committed while it reads its rows', async () => {
    const { its, delivery } = await published()
    const sent = madeAttempt(delivery, its.id, answered(200))
    its.unwritten = sent
    its.deps.db.once('query', () => (its.unwritten = undefined))
    expect(await its.make(delivery)).to.deep.equal(READ_AGAIN)
    expect(its.unwritten).to.equal(undefined)
    expect(its.recorded).to.deep.equal([sent])
    expect(wire.endpoint.requests).to.deep.equal([])
  })

  it('gives slot and connection back when the request cannot be made, which is our own fault', async () => {
    const { its, delivery } = await published()
    meanwhile(its, () => all.own('events').delete())
    const error = await its.make(delivery).catch((thrown: unknown) => thrown)
    expect(String(error)).to.match(/the event of delivery .* is gone/)
    expect([its.slots.freeOfAll(), wire.endpoint.requests]).to.deep.equal([SLOTS, []])
  })

  // decision: A slow database
  describe('that our own side delays', () => {
    /** Half of the request's time. */
    const HALF_MS = 7_500
    /** Delays the next statement by `ms` milliseconds. */
    const delayStatement = ({ deps, clock }: Awaited<ReturnType<typeof setUp>>, ms: number) =>
      deps.db.once('query', () => (clock.nowMs += ms))

    it('sends nothing and spends nothing when the endpoint would have less than half of its time', async () => {
      const { its, delivery } = await published()
      delayStatement(its, HALF_MS + 1)
      expect(await its.make(delivery).catch(String)).to.match(/less than half/)
      expect([wire.endpoint.requests, its.recorded, its.slots.freeOfAll()]).to.deep.equal([[], [], SLOTS])
      delayStatement(its, HALF_MS)
      await its.make(delivery)
      expect(its.recorded).to.have.length(1)
    })

    it('does so too when the rows are read again, and does not count how long the endpoint took to connect', async () => {
      const { its, delivery } = await published()
      its.whenConnected = () => {
        its.clock.nowMs += HALF_MS + 1
        return Promise.resolve()
      }
      await its.make(delivery)
      expect(its.recorded).to.have.length(1)
      meanwhile(its, () => Promise.resolve(delayStatement(its, HALF_MS + 1)))
      expect(await its.make(delivery).catch(String)).to.match(/less than half/)
      const counts = [wire.endpoint.requests.length, its.recorded.length, its.slots.freeOfAll()]
      expect(counts).to.deep.equal([1, 1, SLOTS])
    })
  })

  it('of a workflow that nobody expects waits while a direct one is on its way, and has the delivery to itself afterwards', async () => {
    const { its, id, start } = await claimed()
    expect(await its.make(id)).to.deep.equal({ kind: 'deferred', delayMs: 1_000 })
    expect(wire.endpoint.requests).to.deep.equal([])
    const inTemporal = async () => (await all.rowOf(id)).in_temporal
    expect([its.slots.freeOfAll(), await inTemporal()]).to.deep.equal([SLOTS, 0])
    await its.makeDirect(start)
    expect(wire.endpoint.requests).to.have.length(1)
    await its.endLease(id)
    await its.make(id)
    expect(wire.endpoint.requests).to.have.length(2)
    expect(await inTemporal()).to.equal(1)
  })

  describe('without a workflow', () => {
    it('sends nothing when it was held up and another worker has claimed the row', async () => {
      const { its, id, start } = await claimed()
      meanwhile(its, async () => {
        await its.endLease(id)
        await its.claim(id, 'w2')
      })
      expect(await its.makeDirect(start)).to.deep.equal(READ_AGAIN)
      expect([its.slots.freeOfAll(), wire.endpoint.requests]).to.deep.equal([SLOTS, []])
    })

    it('renews its lease when it was held up and nobody else has claimed the row, and says with which one it sent', async () => {
      const { its, id, start } = await claimed()
      meanwhile(its, () => its.endLease(id))
      await its.makeDirect(start)
      expect(wire.endpoint.requests).to.have.length(1)
      expect(its.recorded).to.have.length(1)
      expect(its.recorded[0]).to.deep.include({ directLease: start.lease, attemptsAtGate: 0 })
      const [row] = await its.deps.db('outbox').where({ subject_id: id }).select('available_at')
      expect(row.available_at.getTime()).to.be.above(Date.now())
    })

    it('is not sent when the outcome of the claim before is committed after the claim', async () => {
      const { its, id } = await claimed()
      await its.endLease(id)
      const start = await its.claim(id)
      await all.set('deliveries', { id }, { status: 'success', attempts: 1 })
      expect(await its.makeDirect(start)).to.deep.equal({ kind: 'closed', ending: 'success' })
      expect(wire.endpoint.requests).to.deep.equal([])
    })

    it('comes back when no slot is free, and does not wait in the queue of workflows', async () => {
      const { its, id, start } = await claimed()
      const holder = { companyId: tenant().companyId, webhookId: its.id }
      while (its.slots.take(holder, 'another') !== undefined);
      expect(await its.makeDirect(start)).to.have.property('kind', 'deferred')
      const kinds: string[] = await its.deps.db('outbox').where({ subject_id: id }).pluck('kind')
      expect(kinds).to.deep.equal(['start'])
    })

    it('reads an event that is too large for the claim', async () => {
      const its = await setUp()
      const start = await its.claim(await its.publish({ text: 'x'.repeat(20_000) }))
      expect(start.rows.body).to.equal(null)
      await its.makeDirect(start)
      expect(wire.endpoint.requests[0]).to.include('x'.repeat(20_000))
    })

    // decision: Suspended companies
    it('is not sent when its company is suspended between the claim and the first byte', async () => {
      const { its, id, start } = await claimed()
      meanwhile(its, all.suspend)
      expect(await its.makeDirect(start)).to.deep.equal(READ_AGAIN)
      await its.endLease(id)
      expect(await its.makeDirect(await its.claim(id))).to.deep.equal({ kind: 'parked' })
      expect(await all.rowOf(id)).to.include({ status: 'pending', in_temporal: 0 })
      expect(await its.deps.db('outbox').where({ subject_id: id })).to.deep.equal([])
      expect([wire.endpoint.requests, its.slots.freeOfAll()]).to.deep.equal([[], SLOTS])
    })
  })
})
