import { useTemporaryDirectory } from '../support/temporary-directory.ts'
import { execa, execaSync } from 'execa'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fencedBlocks, readDocument, ROOT } from './documents.ts'

/** A request for a program. `body` is what the endpoint read, in base64. */
export type SignedRequest = {
  readonly secret: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The fields of an event that the programs for ordering read. */
export type CountedEvent = { readonly subject?: string; readonly revision?: number }

type Verdicts<Entry> = (entries: readonly Entry[]) => Promise<boolean[]>

/** A program of the document, the commands it needs, and a function that prepares it to judge entries. */
export type Program<Entry> = {
  readonly file: string
  readonly needs: readonly string[]
  readonly prepare: (dir: string) => Verdicts<Entry> | Promise<Verdicts<Entry>>
}

/** A program that prints the verdict of the module in its first argument for each entry that it reads. */
const nodeMain = (verdict: string) => `
const module = await import(process.argv[1])
let text = ''
for await (const chunk of process.stdin) text += chunk
${verdict}
console.log(JSON.stringify(JSON.parse(text).map(taken)))
`

const NODE = nodeMain(`
const taken = ({ secret, headers, body }) => {
  try {
    module.verify(secret, headers, Buffer.from(body, 'base64'))
    return true
  } catch {
    return false
  }
}`)

/** Only ValueError is a refusal. Any other exception is a fault of the program and ends it. */
const PYTHON = `
import base64, json, sys
from verify import verify

def taken(request):
    try:
        verify(request["secret"], request["headers"], base64.b64decode(request["body"]))
        return True
    except ValueError:
        return False

print(json.dumps([taken(request) for request in json.load(sys.stdin)]))
`

/** The Go version: the fields of an entry, and its verdict. */
const goMain = (fields: string, verdict: string) => `
package main

import (
	"encoding/json"
	"os"

	"example/webhooks"
)

func main() {
	var entries []struct { ${fields} }
	if err := json.NewDecoder(os.Stdin).Decode(&entries); err != nil {
		panic(err)
	}
	taken := []bool{}
	for _, entry := range entries {
		taken = append(taken, ${verdict})
	}
	json.NewEncoder(os.Stdout).Encode(taken)
}
`

const GO = goMain(
  'Secret string; Headers map[string]string; Body []byte',
  'webhooks.Verify(entry.Secret, func(name string) string { return entry.Headers[name] }, entry.Body) == nil',
)

const NODE_ORDER = nodeMain('const taken = module.isNewest')

const PYTHON_ORDER = `
import json, sys
from newest import is_newest
print(json.dumps([is_newest(event) for event in json.load(sys.stdin)]))
`

const GO_ORDER = goMain('Subject string; Revision int64', 'webhooks.IsNewest(entry.Subject, entry.Revision)')

/** The program needs only the standard library, so Go downloads nothing. */
const GO_ENVIRONMENT = { GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local', GOPROXY: 'off' }

/** Gives entries as JSON to a program that writes a verdict for each entry. */
const asking =
  (dir: string, file: string, ...args: string[]): Verdicts<object> =>
  async (entries) => {
    const { stdout } = await execa(file, args, { cwd: dir, input: JSON.stringify(entries) })
    return JSON.parse(stdout) as boolean[]
  }

/** Compiles a program of the document with a `main` that uses it. @returns the path of the executable */
async function buildGo(dir: string, file: string, main: string): Promise<string> {
  const module = path.join(dir, `go-${file}`)
  await mkdir(path.join(module, 'webhooks'), { recursive: true })
  await writeFile(path.join(module, 'webhooks', file), documentPrograms()[file] ?? '')
  await writeFile(path.join(module, 'main.go'), main)
  await writeFile(path.join(module, 'go.mod'), 'module example\n\ngo 1.21\n')
  const [go, ...args] = ['go', 'build', '-o', 'program', 'main.go'] as const
  await execa(go, args, { cwd: module, env: GO_ENVIRONMENT })
  return path.join(module, 'program')
}

const inShell =
  (dir: string): Verdicts<SignedRequest> =>
  async (requests) => {
    const taken: boolean[] = []
    for (const { secret, headers, body } of requests) {
      await writeFile(path.join(dir, 'body'), Buffer.from(body, 'base64'))
      const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
      const args = ['verify.sh', ...names.map((name) => headers[name] ?? ''), 'body']
      const { exitCode } = await execa('sh', args, { cwd: dir, env: { SECRET: secret }, reject: false })
      taken.push(exitCode === 0)
    }
    return taken
  }

const inNode = (file: string, main: string): Program<object> => ({
  file,
  needs: [],
  prepare: (dir) => asking(dir, 'node', '--input-type=module', '-e', main, path.join(dir, file)),
})
const inPython = (file: string, main: string): Program<object> => ({
  file,
  needs: ['python3'],
  prepare: (dir) => asking(dir, 'python3', '-c', main),
})
const inGo = (file: string, main: string): Program<object> => ({
  file,
  needs: ['go'],
  prepare: async (dir) => asking(dir, await buildGo(dir, file, main)),
})

/** Each program that verifies signatures. */
export const VERIFIERS: readonly Program<SignedRequest>[] = [
  inNode('verify.mjs', NODE),
  inNode('verify-library.mjs', NODE),
  inPython('verify.py', PYTHON),
  inGo('verify.go', GO),
  { file: 'verify.sh', needs: ['openssl'], prepare: inShell },
]

/** Each program that drops older events. */
export const ORDERERS: readonly Program<CountedEvent>[] = [
  inNode('newest.mjs', NODE_ORDER),
  inPython('newest.py', PYTHON_ORDER),
  inGo('newest.go', GO_ORDER),
]

/** The commands of the list that this machine lacks. The test runs each with its version option. */
export const missingCommands = (commands: readonly string[]): string[] =>
  commands.filter((command) => {
    const args = ['go', 'openssl'].includes(command) ? ['version'] : ['--version']
    return execaSync(command, args, { reject: false }).exitCode !== 0
  })

/** The programs of a page by the file name in their first line. */
export function documentPrograms(page = 'docs/receiving.md'): Record<string, string> {
  const named = fencedBlocks(readDocument(page)).map((block) => {
    const name = /^(?:\/\/|#) ([\w-]+\.(?:mjs|py|go|sh))\b/.exec(block)?.[1]
    return name === undefined ? [] : [[name, block] as const]
  })
  return Object.fromEntries(named.flat())
}

/** Writes the programs of a page into a directory, in which the packages of the checkout are found. */
export async function writePrograms(dir: string, page?: string): Promise<void> {
  await symlink(path.join(ROOT, 'node_modules'), path.join(dir, 'node_modules'))
  for (const [name, text] of Object.entries(documentPrograms(page)))
    if (!name.endsWith('.go')) await writeFile(path.join(dir, name), text)
}

/** Makes such a directory for the tests of a block. */
export function usePrograms(page?: string): { readonly path: string } {
  const dir = useTemporaryDirectory('all tests')
  before(() => writePrograms(dir.path, page))
  return dir
}
