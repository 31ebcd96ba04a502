import { COMMAND_LINE } from '../../src/domain/actor.ts'
import { resumeCompany, suspendCompany } from '../../src/operations/companies.ts'
import { changeWebhook } from '../../src/operations/webhook/change.ts'
import { stackDeps } from './database.ts'
import { runCommand } from './operator-commands.ts'
import type { StackInUse } from './use-stack.ts'
import type { Json } from './tenants.ts'

/** Suspends and resumes the company of a test, as an operator does while the processes run. */
export function useSuspension(use: StackInUse) {
  const deps = () => stackDeps(use.stack)
  const companyId = () => use.tenant.tenant.companyId
  return {
    /** Suspends in this process, because starting a command-line process takes long. */
    suspend: () => suspendCompany(deps(), COMMAND_LINE, companyId()),
    resume: () => resumeCompany(deps(), COMMAND_LINE, companyId()),
    /** Acts as the command line, because the api refuses the keys of a suspended company. */
    setActive: (webhookId: string, isActive: boolean) =>
      changeWebhook(deps(), use.tenant.tenant, COMMAND_LINE, webhookId, { isActive }),
    cli: (...args: string[]): Promise<Json> => runCommand(deps(), ...args),
    companyId,
  }
}
