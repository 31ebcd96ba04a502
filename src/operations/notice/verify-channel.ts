import { setTimeout as delay } from 'node:timers/promises'
import { databaseNow } from '../../db/clock.ts'
import { inTransaction } from '../../db/connection/connection.ts'
import { changeChannel, toChannel, findChannelRow } from '../../db/notice/channels.ts'
import type { Deps } from '../../deps/deps.ts'
import type { Actor } from '../../domain/actor.ts'
import { conflict, invalidRequest, orNotFound, retryLater } from '../../domain/errors.ts'
import { CODE_TRIES, type Channel } from '../../domain/notice/channel.ts'
import { sealContext, unseal } from '../../domain/sealing/sealing.ts'
import { isSameSecret } from '../../domain/webhook/signing.ts'
import { auditAs } from '../audit.ts'
import { requireRole } from '../user/authority.ts'
import { ConcurrencyLimit } from '../concurrency-limit.ts'
import { lockOrRefuse } from './channels.ts'

/**
 * Confirms a mail address by the code that was mailed to it. After CODE_TRIES wrong codes it accepts no code any more.
 *
 * @throws ApiError NOT_FOUND, INVALID_REQUEST, INSUFFICIENT_PERMISSIONS
 */
export async function confirmChannel(
  { db, config }: Deps,
  companyId: string,
  actor: Actor,
  id: string,
  code: string,
): Promise<Channel> {
  const isRight = await inTransaction(db, async (trx) => {
    await requireRole(trx, companyId, actor, 'channels.write')
    const row = await lockOrRefuse(trx, companyId, id)
    if (row.confirmed_at !== null) return true
    if (row.wrong_codes >= CODE_TRIES || row.secret_sealed === null)
      throw invalidRequest('Too many wrong codes: remove the channel and add it again.')
    const wanted = unseal(config.secretsKeys, row.secret_sealed, sealContext(companyId, id, 'secret'))
    if (!isSameSecret(code.trim(), wanted)) {
      await changeChannel(trx, companyId, id, { wrong_codes: row.wrong_codes + 1 })
      return false
    }
    const now = await databaseNow(trx)
    await changeChannel(trx, companyId, id, { confirmed_at: now, secret_sealed: null })
    await auditAs({ companyId }, actor)(trx, 'channel.confirm', id, now)
    return true
  })
  if (!isRight) throw invalidRequest('This is not the code that was mailed to the address.')
  return toChannel(await inTransaction(db, (trx) => lockOrRefuse(trx, companyId, id)))
}

/** How long a test waits for its answer through a worker, and how often it looks for that answer, in milliseconds. */
const TEST = { waitMs: 25_000, lookMs: 250 }

/** How many tests wait at once in this process. Each uses a place of the cost class `write` until its receiver has answered. */
const TESTS_AT_ONCE = { ofCompany: 2, ofAll: 64 }

const tests = new ConcurrencyLimit({
  running: TESTS_AT_ONCE.ofCompany,
  runningInAll: TESTS_AT_ONCE.ofAll,
  waiting: 0,
  waitMs: 5_000,
  message: `${TESTS_AT_ONCE.ofCompany} tests of channels of this company already wait for an answer: send the next one when one of them has ended.`,
})

type TestResult = { readonly success: boolean; readonly answer: string }

/**
 * Sends a test through a worker, and waits for the real answer. If a channel is off because it failed, a test that
 * succeeds switches it on.
 *
 * @throws ApiError NOT_FOUND, INVALID_REQUEST for an address that is not confirmed, CONFLICT while another test is under way,
 *   RATE_LIMITED while the company has TESTS_AT_ONCE under way; SERVICE_UNAVAILABLE when no answer came in time
 */
export const testChannel = (deps: Pick<Deps, 'db'>, companyId: string, id: string): Promise<TestResult> =>
  tests.run(companyId, () => testNow(deps, companyId, id))

async function testNow({ db }: Pick<Deps, 'db'>, companyId: string, id: string): Promise<TestResult> {
  const before = await inTransaction(db, async (trx) => {
    const row = await lockOrRefuse(trx, companyId, id)
    if (row.confirmed_at === null) throw invalidRequest('The mail address is not confirmed yet.')
    if (row.test_wanted === 1) throw conflict('A test of this channel is under way.')
    await changeChannel(trx, companyId, id, { test_wanted: 1, due_at: trx.raw('NOW(3)') })
    return row
  })
  for (let waitedMs = 0; waitedMs < TEST.waitMs; waitedMs += TEST.lookMs) {
    await delay(TEST.lookMs)
    const row = orNotFound(await findChannelRow(db, companyId, id), 'Channel')
    if (row.test_wanted === 0 && row.tested_at?.getTime() !== before.tested_at?.getTime())
      return { success: row.test_ok === 1, answer: row.test_answer ?? '' }
  }
  await changeChannel(db, companyId, id, { test_wanted: 0 })
  throw retryLater('SERVICE_UNAVAILABLE', 'No worker sent the test in time. Try again.', 10_000)
}
