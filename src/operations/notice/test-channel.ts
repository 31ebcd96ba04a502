import { setTimeout as delay } from 'node:timers/promises'
import { inTransaction } from '../../db/connection/connection.ts'
import { changeChannel, findChannelRow } from '../../db/notice/channels.ts'
import type { Deps } from '../../deps/deps.ts'
import { ApiError, notFound, retryAfter } from '../../domain/errors.ts'
import { ConcurrencyLimit } from '../concurrency-limit.ts'
import { lockOrRefuse } from './channels.ts'

/** How long a test waits for a worker, and how often it looks, in milliseconds. */
const TEST = { waitMs: 25_000, lookMs: 250 }

/** Tests that wait at once in this process: each keeps the place of a write for as long as a slow receiver takes. */
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
 * Sends a test through a worker, and waits for the real answer. A test that succeeds switches a channel on again.
 *
 * @throws ApiError NOT_FOUND, INVALID_REQUEST for an address that is not confirmed, CONFLICT while another test is under way,
 *   RATE_LIMITED at once while the company has TESTS_AT_ONCE under way; SERVICE_UNAVAILABLE when no worker took it in time
 */
export const testChannel = (deps: Pick<Deps, 'db'>, companyId: string, id: string): Promise<TestResult> =>
  tests.run(companyId, () => testNow(deps, companyId, id))

async function testNow({ db }: Pick<Deps, 'db'>, companyId: string, id: string): Promise<TestResult> {
  const before = await inTransaction(db, async (trx) => {
    const row = await lockOrRefuse(trx, companyId, id)
    if (row.confirmed_at === null)
      throw new ApiError('INVALID_REQUEST', 'The mail address is not confirmed yet.')
    if (row.test_wanted === 1) throw new ApiError('CONFLICT', 'A test of this channel is under way.')
    await changeChannel(trx, companyId, id, { test_wanted: 1, due_at: trx.raw('NOW(3)') })
    return row
  })
  for (let waitedMs = 0; waitedMs < TEST.waitMs; waitedMs += TEST.lookMs) {
    await delay(TEST.lookMs)
    const row = await findChannelRow(db, companyId, id)
    if (!row) throw notFound('Channel')
    if (row.test_wanted === 0 && row.tested_at?.getTime() !== before.tested_at?.getTime()) {
      return { success: row.test_ok === 1, answer: row.test_answer ?? '' }
    }
  }
  await changeChannel(db, companyId, id, { test_wanted: 0 })
  throw new ApiError('SERVICE_UNAVAILABLE', 'No worker sent the test in time. Try again.', {
    headers: retryAfter(10_000),
  })
}
