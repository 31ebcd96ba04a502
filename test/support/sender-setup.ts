import { Egress } from '../../src/sending/egress.ts'
import { createHostResolver } from '../../src/sending/host-resolver.ts'
import {
  HttpSender,
  type SenderOptions,
  type Sign,
  type SignedRequest,
  type Target,
} from '../../src/sending/http-sender.ts'
import type { AttemptOutcome } from '../../src/domain/delivery/outcome.ts'
import { parseNetworks } from '../../src/domain/net/addresses.ts'
import { createCertificate, type Certificate } from './certificates.ts'
import { startDnsServer, type DnsAnswer, type DnsServer } from './dns-server.ts'
import { answer, startRawEndpoint, type RawEndpoint, type Respond } from './raw-endpoint.ts'

export const SENT_BODY = Buffer.from('{"id":"evt_1","data":{"name":"Žofie 😀"}}')

/** What a test of the sender works with. A test may replace `respond` and `answerTo`. */
export type SenderSetup = {
  certificate: Certificate
  endpoint: RawEndpoint
  sender: HttpSender
  respond: Respond
  answerTo: (name: string) => DnsAnswer
  readonly cleanUps: (() => unknown)[]
  readonly createSender: (options?: Partial<SenderOptions>) => HttpSender
  /** Makes an attempt, by default with REQUEST. */
  readonly send: (input?: Partial<SendInput>, by?: HttpSender) => Promise<AttemptOutcome>
}

type SendInput = Target & { readonly request: SignedRequest; readonly sign: Sign<SignedRequest | undefined> }

export const REQUEST: SignedRequest = { headers: { 'webhook-id': 'evt_1' }, body: SENT_BODY }

/** Registers hooks that give each test of the suite a fresh endpoint (it answers 200 "ok") and a sender for it. */
export function setUpSender(): SenderSetup {
  let dns: DnsServer
  const createSender = (options: Partial<SenderOptions> = {}) =>
    new HttpSender({
      timeoutMs: 10_000,
      connectTimeoutMs: 5_000,
      maximumIdle: 512,
      allowedNetworks: parseNetworks('127.0.0.1/32'),
      ca: setup.certificate.cert,
      resolver: createHostResolver([dns.address]),
      egress: new Egress(),
      ...options,
    })
  const send: SenderSetup['send'] = (
    { request = REQUEST, sign = () => request, ...target } = {},
    by = setup.sender,
  ) => {
    const usual = { companyId: 'com_1', webhookId: 'whk_1', url: setup.endpoint.url, withinMs: 60_000 }
    return by.send({ ...usual, ...target }, sign) as Promise<AttemptOutcome>
  }
  const setup = { cleanUps: [], createSender, send } as unknown as SenderSetup

  before(async () => {
    setup.certificate = await createCertificate(['127.0.0.1', 'localhost', 'hook.example'])
    dns = await startDnsServer((name) => setup.answerTo(name))
  })
  after(() => dns.close())
  beforeEach(async () => {
    setup.answerTo = () => 'NXDOMAIN'
    setup.respond = (socket) => socket.write(answer(200, 'ok'))
    setup.endpoint = await startRawEndpoint(setup.certificate, (socket, index) =>
      setup.respond(socket, index),
    )
    setup.sender = createSender()
  })
  afterEach(async () => {
    await Promise.all([setup.sender.close(), ...setup.cleanUps.splice(0).map((cleanUp) => cleanUp())])
    await setup.endpoint.close()
  })
  return setup
}
