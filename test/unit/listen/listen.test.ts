import { createServer } from 'node:http'
import { expect } from 'chai'
import { parseCommandLine } from '../../../src/cli/parse.ts'
import { describeRefusal } from '../../../src/cli/print.ts'
import { LISTEN, readListenSettings } from '../../../src/listen/command.ts'
import { newWebhookSecret } from '../../../src/domain/webhook/signing.ts'
import { forward } from '../../../src/listen/forward.ts'
import { Listener } from '../../../src/listen/listener.ts'
import { Report } from '../../../src/listen/report.ts'
import { listenOnLoopback } from '../../support/loopback.ts'
import { words } from '../../support/words.ts'

const TO = '--forward-to http://127.0.0.1:1'

describe('listen', () => {
  /** How the command ends when it is refused before it listens: exit code and error code. */
  async function refusalOf(options: string): Promise<string> {
    const run = async () => {
      const parsed = parseCommandLine([LISTEN], ['listen', ...words(options)])
      const secrets = { read: () => Promise.reject(new Error('nobody can be asked')) }
      const settings = await readListenSettings('values' in parsed ? parsed.values : {}, secrets)
      const report = new Report(true, { isUtc: true, isColoured: false })
      await new Listener(settings, report, new AbortController().signal).run()
    }
    const refusal = await run().then(() => undefined, describeRefusal)
    return `${refusal?.exitCode} ${refusal?.code}`
  }

  // decision: `listen` wants https beyond this machine
  it('says what is wrong with its options, with the exit codes of the command line', async () => {
    const api = '--api http://127.0.0.1:1'
    for (const [refusal, options] of [
      ['1 SERVICE_UNAVAILABLE', `${api} --key k ${TO}`],
      ['1 INVALID_API_KEY', `${api} --key salesdata_live_… ${TO}`],
      ['1 VALIDATION_ERROR', `--api localhost:3000 --key k ${TO}`],
      ['1 VALIDATION_ERROR', `--api http://192.0.2.1 --key k ${TO}`],
      ['1 VALIDATION_ERROR', `${api} --key k --forward-to http://192.0.2.1/hook`],
      ['1 VALIDATION_ERROR', `${api} --key k ${TO} --secret whsec_short`],
      ['2 INVALID_USAGE', `${api} --key k`],
      ['2 INVALID_USAGE', `${api} ${TO} --kye k`],
    ] as const)
      expect(await refusalOf(options), options).to.equal(refusal)
  })

  const REFUSAL = '{"error":{"code":"INSUFFICIENT_PERMISSIONS","message":"no"}}'
  const ANSWERS: readonly [refusal: string, what: string, status: number, body: string][] = [
    ['1 NOT_FOUND', 'no JSON', 200, '<html>'],
    ['1 INVALID_REQUEST', 'a redirect', 301, ''],
    ['1 NOT_FOUND', 'an answer without end', 200, ' '.repeat(4 * 1024 * 1024) + '{}'],
    ['1 INSUFFICIENT_PERMISSIONS', 'a refusal of the api', 403, REFUSAL],
  ]
  for (const [refusal, what, status, body] of ANSWERS)
    it(`ends with ${refusal} where the address of the api answers with ${what}`, async () => {
      const server = createServer((_request, response) =>
        response.writeHead(status, { location: '/' }).end(body),
      )
      const { url } = await listenOnLoopback(server)
      const found = await refusalOf(`--api ${url} --key k ${TO}`)
      server.close().closeAllConnections()
      expect(found).to.equal(refusal)
    })

  it('goes on after an answer that switches to another protocol', async () => {
    const switches = { connection: 'upgrade', upgrade: 'x' }
    const server = createServer((_request, response) => response.writeHead(101, switches).flushHeaders())
    const to = { forwardTo: new URL((await listenOnLoopback(server)).url), secret: newWebhookSecret() }
    const event = { id: 'evt_1', event: 'a', created_at: '', payload: {} }
    expect(await forward(to, event, new AbortController().signal)).to.include({ status: 101 })
    server.close()
  })
})
