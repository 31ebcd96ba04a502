import { createServer } from 'node:http'
import { createApp } from '../src/api/app.ts'
import { createAuthParts } from '../src/api/auth/authenticate.ts'
import { readConfig } from '../src/config/index.ts'
import { buildDeps } from '../src/deps/deps.ts'
import { hashApiKey } from '../src/domain/key/key.ts'
import { lazyTemporalClient } from '../src/process/temporal/client.ts'
import { listenOnLoopback } from '../test/support/loopback.ts'

/**
 * Serves the public API, `with` authentication, or `without` it: the key is then looked up once, for all requests, and its use is
 * not counted. `env` is that of the service. Returns the port.
 */
export async function serve(options: { variant: 'with' | 'without'; key: string; env: NodeJS.ProcessEnv }) {
  const config = readConfig(options.env)
  const deps = buildDeps(config, 'api', lazyTemporalClient(config))
  const auth = createAuthParts(deps)
  const found = await auth.keys.find(hashApiKey(options.key))
  const taken = {
    ...auth,
    keys: { find: () => Promise.resolve(found) },
    usage: { record: () => undefined, recordResponse: () => undefined },
  }
  const app = createApp(deps, {
    auth: options.variant === 'with' ? auth : taken,
    health: { paths: [], answer: () => Promise.reject(new Error('nobody asks')) },
    createConsole: () => (_ctx, next) => next(),
  })
  const { port } = await listenOnLoopback(createServer(app.callback()))
  return port
}
