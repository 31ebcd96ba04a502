// Also on MySQL with direct attempts: who makes the attempts decides what is under way.
import { markNotice, markNoticesUpTo } from '../../../src/operations/notice/marks.ts'
import { makeNotice } from '../../support/notices.ts'
import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { request, type IncomingMessage } from 'node:http'
import path from 'node:path'
import { expect } from 'chai'
import { UsageError } from '../../../src/cli/command.ts'
import type { SystemDb } from '../../../src/db/connection/connection.ts'
import { COMMAND_LINE } from '../../../src/domain/actor.ts'
import { LONGEST_REQUEST_MS } from '../../../src/operations/cost-limits.ts'
import { countBoot } from '../../support/environment.ts'
import { stackDeps } from '../../support/database.ts'
import { runCommand, runCommandSeen } from '../../support/operator-commands.ts'
import { untilIs, untilThere } from '../../support/poll.ts'
import { refusalOf } from '../../support/use-operations.ts'
import { startHeldEndpoint, useEndpointsOn } from '../../support/stack-endpoints.ts'
import { useTemporaryDirectory } from '../../support/temporary-directory.ts'
import { type Json, type TestTenant, createContact, createTestWebhook } from '../../support/tenants.ts'
import { useStack } from '../../support/use-stack.ts'

/** Suspends a company so long ago that no earlier request can still be under way. */
const suspendedLong = (db: SystemDb, id: string): Promise<unknown> =>
  db('companies')
    .where({ id })
    .update({ suspended_at: new Date(Date.now() - LONGEST_REQUEST_MS) })

const DELETE = ['company', 'delete', '--yes-delete-everything', '--id']

describe('deleting and exporting a company', () => {
  const use = useStack()
  const dir = useTemporaryDirectory()
  const endpoints = useEndpointsOn(use)
  const cli = (...args: string[]) => runCommand(stackDeps(use.stack), ...args)

  /** The number of the company's rows in each table that has some. */
  async function rowsOf(companyId: string): Promise<Record<string, number>> {
    const { db } = use.stack
    const [tables] = (await db.raw(
      `SELECT TABLE_NAME AS name FROM information_schema.COLUMNS
        WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_NAME = 'company_id'`,
    )) as [{ name: string }[]]
    const counts: Record<string, number> = {}
    for (const { name } of tables) {
      const { length } = await db(name).where({ company_id: companyId }).select('company_id')
      if (length > 0) counts[name] = length
    }
    return counts
  }

  /** A company with rows in every family of tables, and one delivery with an endpoint that withholds its answer. */
  async function fill(tenant: TestTenant) {
    const endpoint = await startHeldEndpoint(endpoints)
    const failing = await createTestWebhook(use.stack, tenant, { retry_schedule: [600], max_retries: 1 })
    use.stack.receiver.behave(failing.path, { status: 500 })
    const fields = { url: endpoint.url, headers: { 'x-pass': 'hunter2' } }
    const held = await createTestWebhook(use.stack, tenant, fields)
    const options = ['--company', tenant.tenant.companyId, '--name', 'A', '--email', 'a@example.com']
    const user = await cli('user', 'create', ...options, '--password', 'correct horse')
    const reader = { tenant: tenant.tenant, userId: user.id as string }
    const notice = await makeNotice(use.stack.db, tenant.tenant, 'webhook_gone')
    await markNoticesUpTo(use.stack, reader, notice)
    await markNotice(use.stack, reader, notice, true)
    const [idempotent, contact] = [{ 'idempotency-key': 'k' }, { name: 'Ada' }]
    await tenant.request('POST', '/api-v1-contacts', contact, idempotent)
    await endpoint.arrived(1)
    const { id } = await failing.delivery('retrying')
    await untilThere(() => use.stack.db('api_key_recent').where({ key_id: tenant.keyId }), 1)
    return { endpoint, failing, held, userId: user.id as string, retryingId: id as string }
  }

  // decision: Deleting a company
  it('ends deliveries under way, goes on after a kill, and leaves nothing but the audit', async () => {
    const { tenant, stack } = use
    const { companyId } = tenant.tenant
    const neighbour = await stack.tenant()
    await createContact(neighbour)
    const others = await rowsOf(neighbour.tenant.companyId)
    const { endpoint, failing, held, userId, retryingId } = await fill(tenant)
    await suspendedLong(stack.db, companyId)
    countBoot()
    const env = { PATH: process.env['PATH'], ...stack.environment }
    const killed = spawn(process.execPath, ['dist/cli.js', ...DELETE, companyId], { env })
    await once(killed.stderr, 'data')
    killed.kill('SIGKILL')
    expect((await tenant.request('GET', '/api-v1-me')).status).to.equal(401)
    expect(await rowsOf(companyId))
      .to.include.keys('deliveries', 'events')
      .and.not.have.any.keys('users', 'api_keys')
    const again = cli(...DELETE, companyId)
    endpoint.answerAll(200)
    const { deleted, rows } = await again
    expect(deleted).to.equal(true)
    expect(rows).to.include({ deliveries: 2, events: 1, resources: 1, webhooks: 2 })
    expect(await rowsOf(companyId)).to.have.all.keys('audit')
    expect(await rowsOf(neighbour.tenant.companyId)).to.deep.equal(others)
    const dependents = {
      webhook_counters: 'webhook_id',
      attempts: 'delivery_id',
      user_recovery_codes: 'user_id',
      api_key_recent: 'key_id',
    }
    for (const [table, column] of Object.entries(dependents)) {
      const ids = [failing.id, held.id, retryingId, userId, tenant.keyId]
      expect(await stack.db(table).whereIn(column, ids), table).to.deep.equal([])
    }
    const describeRun = () => stack.temporal.workflow.getHandle(retryingId).describe()
    await untilIs(async () => (await describeRun()).status.name, 'CANCELLED')
    const { data } = await cli('audit', 'list', '--company', companyId)
    const deletions = data.filter(({ action }: Json) => /^company\.(delete|erase)$/.test(action))
    const actions = ['company.erase', 'company.delete', 'company.delete']
    expect(deletions.map(({ action }: Json) => action)).to.deep.equal(actions)
    for (const { actor } of deletions) expect(actor).to.equal(COMMAND_LINE.id)
    expect(await refusalOf(cli(...DELETE, companyId))).to.match(/^NOT_FOUND/)
  })

  // decision: Deleting a company
  it('waits for a request that was let in before, so that nothing of it stays', async () => {
    const { stack } = use
    const { tenant, key } = await stack.tenant()
    const { companyId } = tenant
    const type = { 'content-type': 'application/json', expect: '100-continue' }
    const headers = { authorization: `Bearer ${key}`, ...type }
    const slow = request(`${stack.api.url}/api-v1-contacts`, { method: 'POST', headers })
    slow.flushHeaders()
    await once(slow, 'continue')
    const printed = new EventEmitter()
    const waits = once(printed, 'line')
    const print = (line: string) => void printed.emit('line', line)
    const deleted = runCommandSeen(stackDeps(stack), print, ...DELETE, companyId)
    const [line] = (await Promise.race([waits, deleted.then(() => ['nothing'])])) as string[]
    expect(line).to.match(/^Requests .* end within \d+ s\.$/)
    slow.end('{"name":"Ada"}')
    const [response] = (await once(slow, 'response')) as [IncomingMessage]
    expect(response.resume().statusCode).to.equal(201)
    await suspendedLong(stack.db, companyId)
    expect((await deleted).rows).to.include({ resources: 1, events: 1 })
    expect(await rowsOf(companyId)).to.have.all.keys('audit')
  })

  // decision: Exporting a company
  it('exports everything that lists show, and no secret', async () => {
    const { tenant } = use
    const file = path.join(dir.path, 'company.jsonl')
    const { endpoint, held } = await fill(tenant)
    endpoint.answerAll(200)
    await held.delivery('success')
    const exported = ['company', 'export', '--id', tenant.tenant.companyId, '--to', file]
    const { lines } = await cli(...exported)
    const text = await readFile(file, 'utf8')
    const found: Json[] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).to.include({ user: 1, key: 1, webhook: 2, contacts: 1, event: 1, delivery: 2 })
    expect(found.at(-1)).to.deep.equal({ type: 'end', counts: lines })
    const audit = found.filter(({ type }) => type === 'audit').map(({ record }) => record.action)
    expect(audit[0]).to.equal('company.export')
    const counted = 2 + Number(Object.values(lines).reduce((sum, count) => Number(sum) + Number(count)))
    expect(found).to.have.length(counted)
    const event = found.find(({ type }) => type === 'event')
    expect(event).to.nested.include({ environment: 'live', 'record.payload.data.name': 'Ada' })
    for (const secret of [tenant.key, held.secret, 'hunter2', 'correct horse', '$argon2'])
      expect(text).not.to.include(secret)
    expect((await stat(file)).mode & 0o777).to.equal(0o600)
    expect(await cli(...exported).catch((error: unknown) => error)).to.be.instanceOf(UsageError)
  })
})
