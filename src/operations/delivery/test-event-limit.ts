import { ConcurrencyLimit } from '../concurrency-limit.ts'

/** Limits how many test events wait for their answers at once in this process. It refuses others without a wait. */
const limitOf = (holder: string, running: number): ConcurrencyLimit =>
  new ConcurrencyLimit({
    running,
    waiting: 0,
    waitMs: 5_000,
    message: `${running} test events of this ${holder} already wait for an answer: send the next one when one of them has ended.`,
  })

/** Test events that wait for their answers at once. A person sends one, and perhaps a second. */
export const TESTS_AT_ONCE = { ofWebhook: 2, ofCompany: 4 }

const ofWebhook = limitOf('webhook', TESTS_AT_ONCE.ofWebhook)
const ofCompany = limitOf('company', TESTS_AT_ONCE.ofCompany)

/**
 * Runs a test event if its webhook and its company are below their limits.
 *
 * @throws ApiError RATE_LIMITED with Retry-After at once when one of them is not
 */
export const withinTestEventLimit = <T>(
  companyId: string,
  webhookId: string,
  run: () => Promise<T>,
): Promise<T> => ofWebhook.run(webhookId, () => ofCompany.run(companyId, run))
