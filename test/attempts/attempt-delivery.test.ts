import { expect } from 'chai'
import { AttemptLog } from '../../src/attempts/attempt-log.js'
import { Attempts } from '../../src/attempts/attempt-delivery.js'
import { Slots } from '../../src/attempts/slots.js'
import { COMMAND_LINE } from '../../src/domain/actor.js'
import type { MadeAttempt } from '../../src/domain/delivery/outcome.js'
import { parseNetworks } from '../../src/domain/net/networks.js'
import { signWebhook } from '../../src/domain/webhook/signing.js'
import { publishEvents } from '../../src/operations/event/publish.js'
import { changeWebhook, deleteWebhook } from '../../src/operations/webhook/change.js'
import { createWebhook } from '../../src/operations/webhook/create.js'
import { regenerateSecret } from '../../src/operations/webhook/secret.js'
import type { Deps } from '../../src/process/deps.js'
import { answer } from '../support/raw-endpoint.js'
import { setUpSender } from '../support/sender-setup.js'
import { useOperations } from '../support/use-operations.js'

/** What the caller gives an attempt. */
const START_TO_CLOSE_MS = 30_000
const SLOTS = 5

describe('an attempt', () => {
  const its = useOperations()
  const wire = setUpSender()
  const tenant = () => ({ companyId: its.keyring.companyId, environment: 'live' as const })

  /** A webhook for the endpoint, and attempts of its deliveries. The clock stands still unless the test moves it. */
  async function setUp() {
    const clock = { nowMs: Date.now() }
    const deps: Deps = {
      ...its.deps,
      config: { ...its.deps.config, webhookAllowedNetworks: parseNetworks('127.0.0.1/32') },
      clock: () => new Date(clock.nowMs),
    }
    const input = { name: 'a webhook', url: wire.endpoint.url, events: ['contact.created'] }
    const { webhook, secret } = await createWebhook(deps, tenant(), COMMAND_LINE, input)
    const slots = new Slots({ limit: () => SLOTS, capacity: SLOTS, now: () => clock.nowMs })
    const recorded: MadeAttempt[] = []
    const setup = {
      ...{ deps, clock, slots, recorded, secret, id: webhook.id },
      /** Runs when the connection of the next attempt is ready, before the attempt goes on. */
      whenConnected: (): Promise<void> => Promise.resolve(),
      newSecret: async () => (await regenerateSecret(deps, tenant(), COMMAND_LINE, webhook.id)).secret,
      async publish(): Promise<string> {
        await publishEvents(deps, tenant(), [{ type: 'contact.created', data: {} }])
        const row = await its.database
          .db('deliveries')
          .where({ webhook_id: webhook.id })
          .orderBy('created_at', 'desc')
          .first('id')
        return row.id
      },
      make: async (deliveryId: string) => attempts.make(deliveryId, START_TO_CLOSE_MS),
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
        unrecorded: () => undefined,
        isStuck: () => false,
      },
      attemptLog: new AttemptLog(deps.log),
      ...{ slots, testSlots: slots },
    })
    return setup
  }

  const READ_AGAIN = { kind: 'deferred', delayMs: 0 }

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

  // decision: Age of the rows
  it('reads its rows again when they are older than 250 ms, and sends nothing after an answered deletion', async () => {
    const its = await setUp()
    const delivery = await its.publish()
    its.whenConnected = async () => {
      await deleteWebhook(its.deps, tenant(), COMMAND_LINE, its.id)
      its.clock.nowMs += 251
    }
    expect(await its.make(delivery)).to.deep.equal(READ_AGAIN)
    expect(wire.endpoint.requests).to.deep.equal([])
    expect(its.recorded).to.deep.equal([])
    expect(its.slots.freeOfAll()).to.equal(SLOTS)
    expect(await its.make(delivery)).to.deep.equal({ kind: 'closed', ending: 'cancelled' })
  })

  // decision: Age of the rows
  it('signs with a new secret that was answered meanwhile', async () => {
    const its = await setUp()
    const delivery = await its.publish()
    let secret = its.secret
    its.whenConnected = async () => {
      secret = await its.newSecret()
      its.clock.nowMs += 251
    }
    await its.make(delivery)
    expect([isSignedWith(secret), isSignedWith(its.secret)]).to.deep.equal([true, false])
    expect(its.recorded).to.have.length(1)
    expect(its.recorded[0]).to.deep.include({
      webhookVersionAtGate: 2,
      startedAt: new Date(its.clock.nowMs - 251),
    })
  })

  it('goes on with the rows of its gate for 250 ms', async () => {
    const its = await setUp()
    const delivery = await its.publish()
    its.whenConnected = async () => {
      await its.newSecret()
      its.clock.nowMs += 250
    }
    await its.make(delivery)
    expect(isSignedWith(its.secret)).to.equal(true)
  })

  it('sends nothing to a former URL, and leaves the connection to the next attempt', async () => {
    const its = await setUp()
    const delivery = await its.publish()
    const setUrl = (url: string) => changeWebhook(its.deps, tenant(), COMMAND_LINE, its.id, { url })
    its.whenConnected = async () => {
      await setUrl(`${wire.endpoint.url}/moved`)
      its.clock.nowMs += 251
    }
    expect(await its.make(delivery)).to.deep.equal(READ_AGAIN)
    its.whenConnected = () => Promise.resolve()
    await its.make(delivery)
    expect(wire.endpoint.requests).to.have.length(1)
    expect(wire.endpoint.requests[0]).to.match(/^POST \/hook\/moved /)
    expect(wire.endpoint.connectionCount()).to.equal(1)
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

  it('sends nothing over a replacement when the webhook was deleted meanwhile', async () => {
    const its = await setUp()
    await its.make(await its.publish())
    const remove = async () => {
      await deleteWebhook(its.deps, tenant(), COMMAND_LINE, its.id)
      its.clock.nowMs += 251
    }
    wire.respond = (socket) => void remove().then(() => socket.destroy())
    expect(await its.make(await its.publish())).to.deep.equal(READ_AGAIN)
    expect(wire.endpoint.requests).to.have.length(2)
    expect(its.recorded).to.have.length(1)
  })

  it('gives slot and connection back when the request cannot be made, which is our own fault', async () => {
    const its = await setUp()
    const delivery = await its.publish()
    its.whenConnected = async () => {
      await its.deps.db('events').where({ company_id: tenant().companyId }).delete()
      its.clock.nowMs += 251
    }
    const error = await its.make(delivery).catch((thrown: unknown) => thrown)
    expect(String(error)).to.match(/the event of delivery .* is gone/)
    expect(its.slots.freeOfAll()).to.equal(SLOTS)
    expect(wire.endpoint.requests).to.deep.equal([])
  })
})
