import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createApp } from '../src/api/app.ts'
import { createAuthParts } from '../src/api/auth/authenticate.ts'
import { readConfig } from '../src/config/index.ts'
import { buildDeps } from '../src/deps/deps.ts'
import { hashApiKey } from '../src/domain/key/key.ts'
import { lazyTemporalClient } from '../src/process/temporal/client.ts'

type Options = { readonly variant: 'with' | 'without'; readonly key: string; readonly env: NodeJS.ProcessEnv }

/**
 * Serves the public API, `with` authentication, or `without` it: the key is then looked up once, for all requests, and its use is
 * not counted. Returns the port.
 *
 * @param options env: of the service
 */
export async function serve({ variant, key, env }: Options): Promise<number> {
  const config = readConfig(env)
  const deps = buildDeps(config, 'api', lazyTemporalClient(config))
  const auth = createAuthParts(deps)
  const found = auth.keys.find(hashApiKey(key))
  await found
  const taken = {
    ...auth,
    keys: { find: () => found },
    usage: { record: () => undefined, recordResponse: () => undefined },
  }
  const app = createApp(deps, {
    auth: variant === 'with' ? auth : taken,
    health: { paths: [], answer: () => Promise.reject(new Error('nobody asks')) },
    createConsole: () => (_ctx, next) => next(),
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
