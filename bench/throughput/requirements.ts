import { readFile } from 'node:fs/promises'
import { freePorts } from '../../scripts/lib/ports.ts'
import { keepCertificate } from '../../scripts/receiver/certificate.ts'
import { variables } from '../../src/config/variables.ts'
import { isInNetworks, parseNetworks } from '../../src/domain/net/addresses.ts'

/*
 * What a service that `npm start` runs must allow, so that the benchmark can measure it. Each check ends with a message
 * that names the setting to change.
 */

/** The host of the benchmark's endpoints. */
const HOST = '127.0.0.1'
/** Where the demo would have the benchmark's receiver, for messages. */
const EXAMPLE = `${HOST}/32:3003`
/** Requests that the benchmark sends within a minute at most. */
const REQUESTS_PER_MINUTE = 12_000
const MOST_KEYS = 10

/** @throws Error when the load cannot speak to the api: plain HTTP on loopback */
export function requirePlainApi(apiUrl: string): void {
  const { protocol, hostname } = new URL(apiUrl)
  if (protocol === 'http:' && hostname === HOST) return
  throw new Error(
    `The api is at ${apiUrl}, and the benchmark publishes to http://${HOST} alone: start the service without TLS_CERT_FILE and HOST`,
  )
}

/**
 * @param dir that holds the certificate of the demo's receiver, which the benchmark's receiver has too
 * @throws Error when the service does not trust it
 */
export async function receiverCertificate({ WEBHOOK_CA_FILE: caFile = '' }: NodeJS.ProcessEnv, dir: string) {
  const { cert, certFile, keyFile } = await keepCertificate(dir)
  const trusted = await readFile(caFile, 'utf8').catch(() => '')
  if (trusted.includes(cert.trim())) return { certFile, keyFile }
  throw new Error(
    `The service does not trust the benchmark's receiver: leave WEBHOOK_CA_FILE out, or add the certificate of ${certFile} to the file that it names`,
  )
}

/**
 * A free port that webhooks may reach.
 *
 * @throws Error when there is none
 */
export async function findReceiverPort({
  WEBHOOK_ALLOWED_NETWORKS: text = '',
}: NodeJS.ProcessEnv): Promise<number> {
  const allowed = parseNetworks(text).filter((network) => isInNetworks(HOST, network.port ?? 1, [network]))
  // 0: any port will do.
  for (const { port = 0 } of allowed) {
    const [free = 0] = await freePorts([port])
    if (port === 0 || free === port) return free
  }
  const ports = allowed.map(({ port }) => port).join(', ')
  throw new Error(
    allowed.length === 0
      ? `The service does not let webhooks reach ${HOST}: add ${EXAMPLE} to its WEBHOOK_ALLOWED_NETWORKS, or leave the setting out`
      : `Webhooks may reach ${HOST} only at ports that are in use (${ports}): add a free one to WEBHOOK_ALLOWED_NETWORKS, such as ${EXAMPLE}, or leave the setting out. Another run of the benchmark may use the port now.`,
  )
}

/**
 * How many keys publish in turns, because the service limits the requests of each.
 *
 * @throws Error when so many would not be enough
 */
export function keysNeeded({ RATE_LIMIT_PER_MINUTE: text }: NodeJS.ProcessEnv): number {
  const limit = Number(variables.extract('RATE_LIMIT_PER_MINUTE').validate(text).value)
  const count = limit === 0 ? 1 : Math.ceil(REQUESTS_PER_MINUTE / limit)
  if (count <= MOST_KEYS) return count
  throw new Error(
    `The service allows a key ${limit} requests a minute, too few for the benchmark: set RATE_LIMIT_PER_MINUTE to ${REQUESTS_PER_MINUTE / MOST_KEYS} or more, or to 0 for no limit`,
  )
}
