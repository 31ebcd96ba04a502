import { startRawEndpoint, type RawEndpoint, type Respond } from './raw-endpoint.ts'
import type { StackInUse } from './use-stack.ts'

export type StackEndpoints = { readonly start: (respond: Respond) => Promise<RawEndpoint> }

/** Raw endpoints with the certificate of the stack's own receiver, which its workers trust. They are closed after the tests. */
export function useEndpointsOn(use: Pick<StackInUse, 'stack'>): StackEndpoints {
  const started: RawEndpoint[] = []
  after(() => Promise.all(started.map((endpoint) => endpoint.close())))
  return {
    start: async (respond) => {
      const endpoint = await startRawEndpoint(use.stack.certificate, respond)
      started.push(endpoint)
      return endpoint
    },
  }
}
