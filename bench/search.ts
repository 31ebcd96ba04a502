import { build } from '../scripts/build.mjs'
import { apiClient } from '../scripts/demo/http.mjs'
import { formatDuration } from '../scripts/lib/progress.ts'
import { runSupervised } from '../scripts/lib/supervisor.ts'
import { createKey } from '../scripts/stack/company.ts'
import { startService } from '../scripts/stack/services.ts'
import { makeDirectory, startDatabase } from '../scripts/stack/stack.ts'
import { connect } from '../src/db/connection/connection.ts'
import { deliveriesOf, fillRows, idOf } from './support/fill.ts'
import { percentile, timed } from './support/figures.ts'
import { useLargeBufferPool, type Api } from './support/stack.ts'

/*
 * Searches over 10,000,000 deliveries of 7 days, each with an event (`npm run bench:search -- 2000000` for fewer): how many parts a
 * search takes to the end of the window, and how long its parts take; the events and deliveries of a record; and the lists of a
 * neighbour, alone and beside eight searches that never stop.
 */

const COUNT = Number(process.argv[2] ?? 10_000_000)
const DAYS = 6.9
/** Every record has so many events. */
const EVENTS_OF_RECORD = 20
const NEIGHBOURS_REQUESTS = 300
const NAME_WIDTH = 56

type Part = {
  readonly data: readonly object[]
  readonly pagination: { readonly next_cursor: string | null }
  readonly search: { readonly examined: number }
}

await runSupervised(async (supervisor) => {
  await build()
  const dir = await makeDirectory(supervisor, 'bench-search')
  const env = await startDatabase(supervisor, dir)
  const databaseUrl = env['DATABASE_URL'] ?? ''
  const { companyId, key } = await createKey(env, 'read:webhooks,write:webhooks')
  const neighbour = await createKey(env, 'read:webhooks,write:webhooks')
  const { url } = await startService(supervisor, { kind: 'server', env, logDir: dir })
  const db = connect(databaseUrl)
  await useLargeBufferPool(db)
  const ask = async (path: string, bearer = key): Promise<Part> => {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${bearer}` } })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as Part
  }
  const api: Api = apiClient(url, key)
  const webhook = { name: 'w', url: 'https://example.com/', events: ['contact.created'] }
  const { data } = await api('POST', '/api-v1-webhooks', webhook)
  await fill(databaseUrl, companyId, data.id)

  const walk = async (name: string, path: string) => {
    const times: number[] = []
    const sums = { found: 0, examined: 0 }
    for (let cursor: string | null = ''; cursor !== null;) {
      let part: Part | undefined
      times.push(
        await timed(async () => (part = await ask(`${path}&payload=false&limit=100&cursor=${cursor ?? ''}`))),
      )
      sums.found += part?.data.length ?? 0
      sums.examined += part?.search.examined ?? 0
      cursor = part?.pagination.next_cursor ?? null
    }
    const seconds = times.reduce((sum, ms) => sum + ms, 0) / 1000
    const figures = [0.5, 1].map((share) => `${percentile(times, share).toFixed(0)} ms`.padStart(9)).join('')
    console.log(
      `${name.padEnd(NAME_WIDTH)}${String(sums.found).padStart(6)}${String(times.length).padStart(7)}${figures}` +
        `${seconds.toFixed(1).padStart(8)} s ${Math.round(sums.examined / seconds).toLocaleString('en')} rows/s`,
    )
  }
  console.log(`\n${''.padEnd(NAME_WIDTH)} found  parts      p50  longest    whole`)
  const [oldest] = (await db('events').orderBy('created_at').limit(1).pluck('record_id')) as string[]
  for (const list of ['/api-v1-events', '/api-v1-deliveries']) {
    await walk(`${list}, e-mail of the oldest event`, `${list}?q=user-0@example.com`)
    await walk(`${list}, one of 20 events of a record`, `${list}?record=${oldest ?? ''}`)
    await walk(`${list}, a record that is not there`, `${list}?record=con_none`)
  }

  const times = async () => {
    const durations: number[] = []
    for (let n = 0; n < NEIGHBOURS_REQUESTS; n++)
      durations.push(await timed(() => ask('/api-v1-webhooks', neighbour.key)))
    return [0.5, 0.99].map((share) => `${percentile(durations, share).toFixed(1)} ms`).join(', p99 ')
  }
  console.log(`\nGET /api-v1-webhooks of a neighbour, alone: p50 ${await times()}`)
  const searching = { goesOn: true, answered: 0, refused: 0 }
  const searches = Array.from({ length: 8 }, async () => {
    while (searching.goesOn) {
      const path = '/api-v1-deliveries?q=user-none@example.com&limit=100&payload=false'
      await ask(path).then(
        () => (searching.answered += 1),
        () => (searching.refused += 1),
      )
    }
  })
  console.log(`the same beside eight searches: p50 ${await times()}`)
  searching.goesOn = false
  await Promise.all(searches)
  console.log(`${searching.answered} searches were answered, ${searching.refused} refused`)
  await db.destroy()
  return 0
})

async function fill(databaseUrl: string, companyId: string, webhookId: string): Promise<void> {
  const record = idOf('con', `FLOOR(n / ${EVENTS_OF_RECORD})`)
  const tookMs = await timed(() =>
    fillRows(databaseUrl, [
      ...deliveriesOf(COUNT, {
        companyId: `'${companyId}'`,
        webhookId: `'${webhookId}'`,
        createdAt: `NOW(3) - INTERVAL ${DAYS * 86_400} SECOND + INTERVAL n * ${Math.floor((DAYS * 86_400e6) / COUNT)} MICROSECOND`,
        status: "IF(n % 50, 'success', 'failed')",
        record,
        body: `CONCAT('{"id":"', ${idOf('evt')}, '","event":"contact.created","subject":"', ${record}, '","data":{"email":"user-', n, '@example.com","name":"', REPEAT('ab ', 60), '"}}')`,
        columns: {
          attempts: '1',
          response_code: 'IF(n % 50, 200, 500)',
          response_body: "IF(n % 50, 'ok', 'no such plan')",
          closed_at: 'NOW(3)',
          in_temporal: '0',
        },
      }),
      'ANALYZE TABLE events, deliveries',
    ]),
  )
  console.log(`${COUNT} events and deliveries filled in ${formatDuration(tookMs)}`)
}
