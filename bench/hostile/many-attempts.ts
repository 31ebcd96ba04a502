import { median, mostMemory } from '../support/figures.ts'
import { deliveriesOf, fillRows, insertInto } from '../support/fill.ts'
import { count, keepCalling, showCounts, type Counts } from '../support/phases.ts'
import type { BenchTenant, OtherApi } from '../support/stack.ts'
import type { Row } from './table.ts'

const ATTEMPTS = 2_500
const SHOWN = 20
const ROUNDS = 3
const ADDED_MIB = 100
/** The memory of a fresh process grows with its first thousands of answers, whatever they hold. */
const WARM_UP_ROUNDS = 10

export const manyAttempts: Row = {
  id: 6,
  party: 'the detail of a delivery with 2,500 attempts is read 12 times at once',
  before: '53 MB an answer, 126 -> 801 MiB, 503',
  bound: 'latest 20 attempts; all answered; + 100 MiB',
  run: (stack) =>
    stack.withOtherApi('bench_many_attempts', async (other) => {
      const { key, ...tenant } = await other.tenant()
      const [few, many] = await createDeliveries(other, tenant)
      const answers: Counts = {}
      const read = (url: string) => readDetail(url, key)
      const readMany = async (url: string) => {
        const { mostMib, result } = await mostMemory(other.pid, () => keepCalling(12, 3_000, () => read(url)))
        for (const [status, calls] of Object.entries(result)) count(answers, status, calls)
        return mostMib
      }
      for (let round = 0; round < WARM_UP_ROUNDS; round++) await readMany(few)
      const [quiet, attacked]: [number[], number[]] = [[], []]
      for (let round = 0; round < ROUNDS; round++) {
        quiet.push(await readMany(few))
        attacked.push(await readMany(many))
      }
      const { bytes, attempts } = await read(many)
      const [quietMib, attackedMib] = [median(quiet), median(attacked)]
      const areAnswered = Object.keys(answers).join() === '200'
      return {
        quiet: `${quietMib.toFixed(0)} MiB`,
        attacked: `${attackedMib.toFixed(0)} MiB, ${(bytes / 1e6).toFixed(2)} MB an answer`,
        ratio: attackedMib / quietMib,
        isWithin: attempts === SHOWN && areAnswered && attackedMib - quietMib < ADDED_MIB,
        note: `memory of the api, phases by turns: quiet (a delivery with one attempt) ${inMib(quiet)} MiB, attacked ${inMib(attacked)} MiB; ${attempts} attempts shown; answers: ${showCounts(answers)}`,
      }
    }),
}

const inMib = (values: number[]) => values.map((mib) => mib.toFixed(0)).join(', ')

async function readDetail(url: string, key: string) {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  const text = await response.text()
  const { data } = JSON.parse(text) as { data?: { attempt_log: unknown[] } }
  return { status: response.status, bytes: Buffer.byteLength(text), attempts: data?.attempt_log.length ?? 0 }
}

/**
 * Makes two deliveries, with one attempt and with many, as a release left them that kept the response bodies (16 KiB) of all. Gives
 * the addresses of their details.
 */
async function createDeliveries(
  { db, databaseUrl, url }: OtherApi,
  { api, companyId }: Omit<BenchTenant, 'key'>,
): Promise<[string, string]> {
  const webhook = { name: 'much retried', url: 'https://example.com/', events: ['contact.created'] }
  const webhookId = (await api('POST', '/api-v1-webhooks', webhook)).data.id
  const sent = { companyId: `'${companyId}'`, webhookId: `'${webhookId}'`, createdAt: 'NOW(3)' }
  const columns = { attempts: String(ATTEMPTS), closed_at: 'NOW(3)' }
  await fillRows(databaseUrl, deliveriesOf(2, { ...sent, status: "'failed'", columns }))
  const ids = await db('deliveries').where({ company_id: companyId }).pluck<string[]>('id')
  const attemptsOf = (id: string, attempts: number) => {
    const answer = { duration_ms: '1', response_code: '500', response_body: "REPEAT('b', 16384)" }
    const made = { delivery_id: `'${id}'`, number: 'n + 1', started_at: 'NOW(3)', '`trigger`': "'manual'" }
    return insertInto('attempts', { ...made, ...answer }, attempts)
  }
  const [few = '', many = ''] = ids
  await fillRows(databaseUrl, [attemptsOf(few, 1), attemptsOf(many, ATTEMPTS)])
  const addressOf = (id: string) => `${url}/api-v1-webhooks/${webhookId}/deliveries/${id}`
  return [addressOf(few), addressOf(many)]
}
