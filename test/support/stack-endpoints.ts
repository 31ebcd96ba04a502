import { randomBytes } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createCertificate, type Certificate } from './certificates.ts'
import { startRawEndpoint, type RawEndpoint, type Respond } from './raw-endpoint.ts'
import type { StackInUse } from './use-stack.ts'

/** Raw endpoints whose certificate the workers of a stack trust. */
export type StackEndpoints = {
  /** What the stack must be started with. Its own receiver is then not trusted. */
  readonly environment: Record<string, string>
  readonly start: (respond: Respond) => Promise<RawEndpoint>
}

/** Registers hooks for raw endpoints beside a stack; call it before `useStack`. Endpoints are closed after the tests. */
export function useStackEndpoints(names: readonly string[] = ['127.0.0.1']): StackEndpoints {
  const caFile = path.join(tmpdir(), `webhooks-endpoints-${randomBytes(6).toString('hex')}.pem`)
  let certificate: Certificate
  before(async () => {
    certificate = await createCertificate(names)
    await writeFile(caFile, certificate.cert)
  })
  const start = startedUntilTheEnd(() => certificate)
  after(() => rm(caFile, { force: true }))
  return { environment: { WEBHOOK_CA_FILE: caFile }, start }
}

/** Raw endpoints with the certificate of the stack's own receiver. They are closed after the tests. */
export const useEndpointsOn = (use: StackInUse): Pick<StackEndpoints, 'start'> => ({
  start: startedUntilTheEnd(() => use.stack.certificate),
})

/** Starts endpoints that are closed after the tests of the surrounding `describe`. */
function startedUntilTheEnd(certificate: () => Certificate): StackEndpoints['start'] {
  const started: RawEndpoint[] = []
  after(() => Promise.all(started.map((endpoint) => endpoint.close())))
  return async (respond) => {
    const endpoint = await startRawEndpoint(certificate(), respond)
    started.push(endpoint)
    return endpoint
  }
}
