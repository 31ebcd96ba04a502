import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { writePrograms } from '../../test/docs/receiving-programs.ts'
import { readSettings } from '../apis.ts'
import { FileTable } from './file-table.ts'

/*
 * Keeps a copy of all records with the program of docs/api-clients.md, until it is killed. It prints a line for each part: `list`, or
 * `feed` and the cursor after it.
 */

type Program = {
  readonly copyThenFollow: (get: (path: string) => Promise<unknown>, table: FileTable) => Promise<never>
}

const { client, file } = readSettings()
const dir = await mkdtemp(path.join(path.dirname(file), 'programs-'))
await writePrograms(dir, 'docs/api-clients.md')
const { copyThenFollow } = (await import(pathToFileURL(path.join(dir, 'copy.mjs')).href)) as Program

const table = new FileTable(file)
let latest = ''
await copyThenFollow(async (url) => {
  // By now the table has kept the part before.
  if (latest) console.log(latest)
  const reply = await client.askUntilCertain('GET', url)
  if (reply.status !== 200) throw new Error(`${url} was answered ${JSON.stringify(reply)}`)
  latest = url.includes('/feed?') ? `feed ${reply.pagination!.next_cursor}` : 'list'
  return reply
}, table)
