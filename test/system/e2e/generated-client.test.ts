import { symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect } from 'chai'
import { execa } from 'execa'
import { Webhook } from 'standardwebhooks'
import { COMPILER, packageBin } from '../../../scripts/lib/paths.mjs'
import type { Json } from '../../support/tenants.ts'
import { useTemporaryDirectory } from '../../support/temporary-directory.ts'
import { useStack } from '../../support/use-stack.ts'

/** A user's first steps with the generated client only. Its types must lead to the right calls. */
const QUICK_START = `
import {
  createContact, createWebhook, getDelivery, getEvent, listAllDeliveries, listDeliveries, listNotices, type Delivery,
} from './client/index.js'
import { client } from './client/client.gen.js'

client.setConfig({ baseUrl: process.env['API_URL']!, auth: process.env['API_KEY']! })

const refused = await createWebhook({ body: { name: 'plain', url: 'http://example.com', events: ['deal.created'] } })
const refusal: string | undefined = refused.error?.error.code

const body = { name: 'quick start', url: process.env['HOOK_URL']!, events: ['contact.created' as const] }
const { data: webhook } = await createWebhook({ body, throwOnError: true })
const path = { id: webhook.data.id }
const { data: contact } = await createContact({ body: { name: 'Ada Lovelace' }, throwOnError: true })

async function findSuccess(): Promise<Delivery> {
  const { data: page } = await listDeliveries({ path, query: { status: ['success'], limit: 1 }, throwOnError: true })
  const [delivery] = page.data
  if (delivery) return delivery
  await new Promise((resolve) => setTimeout(resolve, 50))
  return findSuccess()
}
const { id: deliveryId } = await findSuccess()
const { data: detail } = await getDelivery({ path: { ...path, deliveryId }, throwOnError: true })
const query = { status: ['success' as const, 'failed' as const], payload: false }
const { data: all } = await listAllDeliveries({ query, throwOnError: true })
const { data: event } = await getEvent({ path: { id: all.data[0]!.event_id }, throwOnError: true })
const found: string[] = event.data.deliveries.map(({ id }) => id)
const { data: notices } = await listNotices({ query: { kind: ['webhook_failing'] }, throwOnError: true })
const messages: string[] = notices.data.map(({ message }) => message)
const next: string | null = all.pagination.next_cursor
const statuses: (number | null)[] = detail.data.attempt_log.map((attempt) => attempt.response_code)

console.log(JSON.stringify({ refusal, secret: webhook.data.secret, contact: contact.data, delivery: detail.data, statuses, found, next, messages }))
`

/** The compiler must refuse each line, because the types say what the API says. */
const MISTAKES = [
  "createWebhook({ body: { name: 'a', url: 'https://example.com' } })",
  "createWebhook({ body: { name: 'a', url: 'https://example.com', events: ['contact.exploded'] } })",
  "listDeliveries({ path: { id: 'whk_' }, query: { status: ['lost'] } })",
  'listDeliveries({})',
  "listAllDeliveries({ query: { status: ['lost'] } })",
  'listAllDeliveries({ query: { page: 1 } })',
  "listNotices({ query: { kind: ['webhook_lost'] } })",
]

/** A user's strict compiler options. `skipLibCheck` skips only Node's own types. */
const TSCONFIG = {
  compilerOptions: {
    target: 'ES2023',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    rootDir: '.',
    outDir: 'out',
  },
  include: ['client', 'program.ts'],
}

describe('a client generated from /openapi.json', function () {
  this.timeout(90_000)
  const prepared = useStack()
  const dir = useTemporaryDirectory('all tests')
  const run = async (command: string, ...args: string[]) => {
    const { exitCode, all } = await execa(command, args, { cwd: dir.path, all: true, reject: false })
    expect(exitCode, all).to.equal(0)
  }
  before(async () => {
    const expectErrors = MISTAKES.map((mistake) => `// @ts-expect-error\nvoid (() => ${mistake})\n`).join('')
    await symlink(path.resolve('node_modules'), path.join(dir.path, 'node_modules'))
    const files = {
      'package.json': '{"type":"module"}',
      'tsconfig.json': JSON.stringify(TSCONFIG),
      'openapi.json': await (await fetch(`${prepared.stack.api.url}/openapi.json`)).text(),
      'program.ts': QUICK_START + expectErrors,
    }
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(dir.path, name), text)
    await run(packageBin('openapi-ts'), '-i', 'openapi.json', '-o', 'client', '--silent', '--no-log-file')
  })

  it('type-checks strictly, refuses what the API refuses, and completes the quick start', async () => {
    const { stack, tenant } = prepared
    await run(COMPILER, '-p', 'tsconfig.json')
    const hook = stack.receiver.url('/quick-start')
    const env = { API_URL: stack.api.url, API_KEY: tenant.key, HOOK_URL: hook }
    const { stdout } = await execa(process.execPath, ['out/program.js'], { cwd: dir.path, env })
    const { refusal, secret, contact, delivery, statuses, found, next, messages }: Json = JSON.parse(stdout)
    stack.receiver.trust('/quick-start', secret as string)
    expect(refusal).to.equal('VALIDATION_ERROR')
    expect(delivery).to.deep.include({ status: 'success', event_type: 'contact.created', attempts: 1 })
    expect(statuses).to.deep.equal([200])
    expect([found, next, messages]).to.deep.equal([[delivery.id], null, []])
    const { headers, body } = await stack.receiver.next('/quick-start')
    const verified = new Webhook(secret as string).verify(body, headers as Record<string, string>)
    expect(verified).to.deep.equal(delivery.payload)
    expect((verified as Json).data).to.deep.equal(contact)
  })
})
