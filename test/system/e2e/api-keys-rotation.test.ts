import { expect } from 'chai'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { rotateApiKey } from '../../../src/operations/key/rotate.ts'
import { keyRotationWorkflowId } from '../../../src/workflows/contract.ts'
import { outboxRows, workflowOf } from '../../support/crashes.ts'
import { stackDeps } from '../../support/database.ts'
import type { RunningPart } from '../../support/running-parts.ts'
import { useKeys } from '../../support/use-keys.ts'
import { useStack } from '../../support/use-stack.ts'

/** Seconds in place of hours, with the same code and timer. */
const GRACES = { KEY_ROTATION_GRACES: '1h=2s,6h=5m' }

describe('spec, Rotation, over HTTP with a real worker', () => {
  const use = useStack({ workers: 0 })
  const its = useKeys(() => use.stack)
  let worker: Promise<RunningPart> | undefined
  /** The first test begins without a worker and starts one, which the other tests share. */
  const startWorker = () => (worker ??= its.stack.startWorker())
  after(async () => (await worker)?.stop())

  const rotate = (id: string, grace: '1h' | '6h' = '1h') =>
    rotateApiKey(stackDeps(its.stack, GRACES), its.keyring.companyId, COMMAND_LINE, id, { grace })
  const verdictOf = async (secret: string) => (await its.callWith(secret)).verdict
  const timerOf = (keyId: string) => its.stack.temporal.workflow.getHandle(keyRotationWorkflowId(keyId))
  const actionsOn = (id: string): Promise<string[]> =>
    its.stack.db('audit').where({ subject_id: id }).orderBy('id').pluck('action')
  const untilWorkflow = (keyId: string, isWanted?: Parameters<typeof workflowOf>[2]) =>
    workflowOf(its.stack, keyRotationWorkflowId(keyId), isWanted)
  const untilEnded = (keyId: string) => untilWorkflow(keyId, ({ status }) => status.name === 'CANCELLED')
  const untilCarriedOut = (keyId: string) => outboxRows(its.stack, keyId, 0)
  const statusOf = (keyId: string): Promise<string> =>
    timerOf(keyId)
      .describe()
      .then(
        ({ status }) => status.name,
        () => 'none',
      )

  // decision: The timer tidies up
  it('During the grace period both keys are valid; with all workers stopped the old key still dies on time, and the late workflow only tidies up', async () => {
    expect(worker, 'a worker').to.equal(undefined)
    const { id, secret } = await its.keyring.create()
    const replacement = await rotate(id, '6h')
    expect([await verdictOf(secret), await verdictOf(replacement.secret)]).to.deep.equal(['200', '200'])
    await its.expireNow(id)
    expect(await verdictOf(secret)).to.equal('401 API_KEY_EXPIRED')
    expect((await its.keyring.show(id)).state).to.equal('expired')
    expect(await actionsOn(id)).to.deep.equal(['key.create', 'key.rotate'])

    await startWorker()
    await untilWorkflow(id)
    await timerOf(id).result()
    expect(await actionsOn(id)).to.deep.equal(['key.create', 'key.rotate', 'key.expire'])
    expect(await verdictOf(secret)).to.equal('401 API_KEY_EXPIRED')
    expect(await verdictOf(replacement.secret)).to.equal('200')
  })

  describe('while a worker runs', () => {
    before(startWorker)

    // decision: Revoking a rotated key ends its timer
    it('shows the timer in Temporal, which key expires when, and ends it at once without an audit when that is revoked', async () => {
      const { id, secret } = await its.keyring.create()
      const replacement = await rotate(id, '6h')
      const timer = await untilWorkflow(id)
      expect([timer?.type, timer?.status.name]).to.deep.equal(['expireApiKey', 'RUNNING'])
      const until = replacement.oldExpiresAt.toISOString()
      expect(await timer?.staticSummary()).to.equal(`${id} expires at ${until}`)
      await its.keyring.revoke(id)
      await untilEnded(id)
      await untilCarriedOut(id)
      expect(await verdictOf(secret)).to.equal('401 API_KEY_REVOKED')
      expect(await verdictOf(replacement.secret)).to.equal('200')
      expect(await actionsOn(id)).to.deep.equal(['key.create', 'key.rotate', 'key.revoke'])
    })

    // decision: Revoking a rotated key ends its timer
    it('leaves no timer running when the revocation comes right behind the rotation', async () => {
      for (let round = 0; round < 5; round++) {
        const { id } = await its.keyring.create()
        await rotate(id, '6h')
        await its.keyring.revoke(id)
        await untilCarriedOut(id)
        const status = await statusOf(id)
        // The workflow never started, or it ended. A cancellation takes a moment.
        if (status === 'RUNNING') await untilEnded(id)
        else expect(status).to.be.oneOf(['none', 'CANCELLED'])
        expect(await actionsOn(id)).to.deep.equal(['key.create', 'key.rotate', 'key.revoke'])
      }
    })
  })
})
