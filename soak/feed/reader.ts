import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { readSettings } from './client.ts'
import { readWholeLines } from '../processes.ts'

/*
 * Follows the feed as docs/api-clients.md says, until it is killed. It notes the tags of a page together with the cursor
 * behind it, in one line, and after a kill goes on with the cursor of the last line.
 */

const { client, file } = readSettings()
let cursor = readWholeLines<{ cursor: string }>(file).at(-1)?.cursor ?? 'start'

type Page = {
  readonly data: readonly {
    readonly payload: { readonly data: { readonly tag?: string; readonly name?: string } }
  }[]
  readonly pagination: { readonly next_cursor: string }
}

for (;;) {
  const { status, body } = await client.ask('GET', `/api-v1-events/feed?after=${cursor}&limit=100&wait=20`)
  if (status === 0) {
    await sleep(100)
    continue
  }
  if (status !== 200) throw new Error(`the feed answered ${status}: ${JSON.stringify(body)}`)
  const { data, pagination } = body as Page
  const tags = data.map(({ payload }) => payload.data.tag ?? payload.data.name ?? '')
  cursor = pagination.next_cursor
  if (tags.length > 0) appendFileSync(file, `\n${JSON.stringify({ cursor, tags })}`)
}
