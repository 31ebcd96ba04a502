import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createCertificate, type Certificate } from './certificates.js'
import { startRawEndpoint, type RawEndpoint, type Respond } from './raw-endpoint.js'

/** Raw endpoints whose certificate the workers of a stack trust. */
export type StackEndpoints = {
  /** What the stack must be started with. Its own receiver is then not trusted. */
  readonly environment: Record<string, string>
  readonly start: (respond: Respond) => Promise<RawEndpoint>
}

/** Registers hooks for raw endpoints beside a stack; call it before `useStack`. Endpoints are closed after the tests. */
export function useStackEndpoints(names: readonly string[] = ['127.0.0.1']): StackEndpoints {
  const caFile = path.join(tmpdir(), `webhooks-endpoints-${randomBytes(6).toString('hex')}.pem`)
  const started: RawEndpoint[] = []
  let certificate: Certificate
  before(async () => {
    certificate = await createCertificate(names)
    await writeFile(caFile, certificate.cert)
  })
  after(async () => {
    await Promise.all(started.map((endpoint) => endpoint.close()))
    await rm(caFile, { force: true })
  })
  return {
    environment: { WEBHOOK_CA_FILE: caFile },
    async start(respond) {
      const endpoint = await startRawEndpoint(certificate, respond)
      started.push(endpoint)
      return endpoint
    },
  }
}
