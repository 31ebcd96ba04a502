import { QueryClient, type Query } from '@tanstack/react-query'
import { ApiClient } from '../api/client.ts'
import { ConnectionLost } from '../api/refusal.ts'
import type { Session } from '../api/wire.ts'
import { PageGuard } from './page-guard.ts'
import { Prompter } from './prompter.ts'
import { Store } from './store.ts'

/** What all screens share: the client, the cache of its answers, and the stores and guards around them. */
export type Console = {
  readonly client: ApiClient
  readonly queries: QueryClient
  readonly prompter: Prompter
  readonly session: Store<Session | undefined>
  readonly isConnected: Store<boolean>
  readonly pageGuard: PageGuard
}

/** A screen that opens reads lists and details again if they are older than this. */
const FRESH_MS = 5_000

/**
 * After a lost connection everything is read again, but not more often than this. Otherwise an answer that never arrives
 * would trigger the next read.
 */
const READ_ANEW_EVERY_MS = 10_000

/** Queries without data of a user: the session document, and what a link is for. */
const OF_NO_USER: readonly unknown[] = ['session', 'link']

/** Data of a former user must not be shown to the next one. */
function forgetFormer(queries: QueryClient, former: Session | undefined, next: Session): void {
  if (former?.state !== 'signed_in') return
  const predicate = ({ queryKey }: Query) => !OF_NO_USER.includes(queryKey[0])
  if (next.state === 'signed_out') queries.removeQueries({ predicate })
  else if (next.user.id !== former.user.id) {
    queries.removeQueries({ type: 'inactive', predicate })
    // Somebody else signed in in another tab. The screen and its form stay, and now read as the new user.
    void queries.invalidateQueries({ predicate })
  }
}

/** Builds these parts. A page has them once. */
export function createConsole(): Console {
  const prompter = new Prompter()
  const session = new Store<Session | undefined>(undefined)
  const isConnected = new Store(true)
  let readAnewAtMs = -Infinity
  let readingAnew: ReturnType<typeof setTimeout> | undefined
  const queries = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        // Only a lost connection is tried again. A refusal would stay a refusal.
        retry: (failures, error) => error instanceof ConnectionLost && failures < 2,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })
  const client = new ApiClient({
    fetch: (url, init) => fetch(url, init),
    prompts: prompter,
    onSession: (next) => {
      const former = session.get()
      session.set(next)
      forgetFormer(queries, former, next)
    },
    onConnection: (isUp) => {
      const isBack = isUp && !isConnected.get()
      isConnected.set(isUp)
      if (!isBack) return
      readingAnew ??= setTimeout(
        () => {
          readAnewAtMs = performance.now()
          readingAnew = undefined
          void queries.invalidateQueries()
        },
        Math.max(0, readAnewAtMs + READ_ANEW_EVERY_MS - performance.now()),
      )
    },
  })
  return { client, queries, prompter, session, isConnected, pageGuard: new PageGuard() }
}
