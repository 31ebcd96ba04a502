import { setTimeout as delay } from 'node:timers/promises'
import { isOpenRecovery, type Recovery } from '../domain/recovery/recovery.ts'
import type { Tenant } from '../domain/tenant.ts'
import { getRecovery } from '../operations/recovery/read.ts'
import type { CommandContext } from './command.ts'
import { progressBar } from './progress.ts'

const LOOK_EVERY_MS = 500

/** Waits until a recovery is over, and shows how far it has come. @returns the recovery then */
export async function waitForEnd(
  { deps, progress }: Pick<CommandContext, 'deps' | 'progress'>,
  tenant: Tenant,
  { webhookId, id }: Pick<Recovery, 'webhookId' | 'id'>,
): Promise<Recovery> {
  for (;;) {
    const recovery = await getRecovery(deps, tenant, webhookId, id)
    const isQueued = recovery.state === 'queued'
    progress.show(isQueued ? 'it waits for its turn' : progressBar(recovery.queued, recovery.total))
    if (!isOpenRecovery(recovery)) {
      progress.end()
      return recovery
    }
    await delay(LOOK_EVERY_MS)
  }
}
