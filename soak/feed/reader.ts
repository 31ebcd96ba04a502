import { appendFileSync } from 'node:fs'
import { readSettings } from '../apis.ts'
import { readWholeLines } from '../../scripts/lib/processes.ts'

/*
 * Follows the feed as docs/api-clients.md says, until it is killed. It writes the tags of a page and the cursor after
 * it in one line. After a kill it goes on with the cursor of the last line.
 */

const { client, file } = readSettings()
let cursor = readWholeLines<{ cursor: string }>(file).at(-1)?.cursor ?? 'start'

type Events = readonly {
  readonly payload: { readonly data: { readonly tag?: string; readonly name?: string } }
}[]

for (;;) {
  const path = `/api-v1-events/feed?after=${cursor}&limit=100&wait=20`
  const reply = await client.askUntilCertain('GET', path)
  if (reply.status !== 200) throw new Error(`the feed answered ${JSON.stringify(reply)}`)
  const tags = (reply.data as Events).map(({ payload: { data } }) => data.tag ?? data.name ?? '')
  cursor = reply.pagination!.next_cursor
  if (tags.length > 0) appendFileSync(file, `\n${JSON.stringify({ cursor, tags })}`)
}
