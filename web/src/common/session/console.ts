import { QueryClient } from '@tanstack/react-query'
import { ApiClient } from '../api/client.ts'
import { ConnectionLost } from '../api/refusal.ts'
import type { Session } from '../api/wire.ts'
import { PageGuard } from './page-guard.ts'
import { Prompter } from './prompter.ts'
import { Store } from './store.ts'

/** What all screens share: the client, the cache of its answers, and what watches over them. */
export type Console = {
  readonly client: ApiClient
  readonly queries: QueryClient
  readonly prompter: Prompter
  readonly session: Store<Session | undefined>
  readonly isConnected: Store<boolean>
  readonly pageGuard: PageGuard
}

/** Lists and details are this old at most when a screen is opened. */
const FRESH_MS = 5_000

/** Puts the parts together. There is one of it in a page. */
export function createConsole(): Console {
  const prompter = new Prompter()
  const session = new Store<Session | undefined>(undefined)
  const isConnected = new Store(true)
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // A refusal stays a refusal; only a lost connection is worth another try.
        retry: (failures, error) => error instanceof ConnectionLost && failures < 2,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })
  const client = new ApiClient({
    fetch: (url, init) => fetch(url, init),
    prompts: prompter,
    onSession: (next) => session.set(next),
    onConnection: (isUp) => {
      const isBack = isUp && !isConnected.get()
      isConnected.set(isUp)
      if (isBack) void queries.invalidateQueries()
    },
  })
  return { client, queries, prompter, session, isConnected, pageGuard: new PageGuard() }
}
