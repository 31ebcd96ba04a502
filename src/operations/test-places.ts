import { ApiError } from '../domain/errors.js'

/** Test events that wait for their answer at once in this process; a person tries one, and perhaps a second. */
const PER_WEBHOOK = 2
const PER_COMPANY = 4

const waiting = new Map<string, number>()

/**
 * Runs a test event if its webhook and its company have a free place, which it holds until it ends.
 *
 * @throws ApiError RATE_LIMITED with Retry-After at once when they have none
 */
export async function inTestPlace<T>(
  companyId: string,
  webhookId: string,
  run: () => Promise<T>,
): Promise<T> {
  if (countOf(webhookId) >= PER_WEBHOOK) throw tooMany('webhook', PER_WEBHOOK)
  if (countOf(companyId) >= PER_COMPANY) throw tooMany('company', PER_COMPANY)
  const holders = [webhookId, companyId]
  for (const holder of holders) add(holder, 1)
  try {
    return await run()
  } finally {
    for (const holder of holders) add(holder, -1)
  }
}

const countOf = (holder: string): number => waiting.get(holder) ?? 0

function add(holder: string, change: number): void {
  const count = countOf(holder) + change
  if (count === 0) waiting.delete(holder)
  else waiting.set(holder, count)
}

const tooMany = (holder: string, limit: number): ApiError =>
  new ApiError(
    'RATE_LIMITED',
    `${limit} test events of this ${holder} already wait for an answer: send the next one when one of them has ended.`,
    { headers: { 'Retry-After': '5' } },
  )
