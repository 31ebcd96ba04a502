import { rm } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { writePrograms } from '../../test/docs/receiving-programs.ts'
import { readSettings } from '../feed/client.ts'
import { FileTable } from './file-table.ts'

/*
 * Keeps a copy of all records with the program of docs/api-clients.md, until it is killed. It prints a line for each part: `list`, or
 * `feed` and the cursor behind it.
 */

type Body = { readonly pagination: { readonly next_cursor: string } }
type Program = {
  readonly copyThenFollow: (get: (path: string) => Promise<unknown>, table: FileTable) => Promise<never>
}

const { client, file } = readSettings()
const dir = await writePrograms('docs/api-clients.md')
const { copyThenFollow } = (await import(pathToFileURL(path.join(dir, 'copy.mjs')).href)) as Program
await rm(dir, { recursive: true })

const table = new FileTable(file)
let latest = ''
await copyThenFollow(async (url) => {
  // The part before is kept by now.
  if (latest) console.log(latest)
  const { status, body } = await client.askUntilCertain('GET', url)
  if (status !== 200) throw new Error(`${url} was answered ${status}: ${JSON.stringify(body)}`)
  latest = url.includes('/feed?') ? `feed ${(body as Body).pagination.next_cursor}` : 'list'
  return body
}, table)
