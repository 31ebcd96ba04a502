import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Call } from '../common/api/transport.ts'
import type { One } from '../common/api/paging.ts'
import { useClient } from '../common/session/context.ts'

type OwnCall = Pick<Call, 'method' | 'body'> & { readonly path: string }

/** The key of the query that reads the user's own sessions. */
export const OWN_SESSIONS = ['own-sessions']

/** Reads the user's own sessions anew, because most changes of the account end other sessions. */
export function useSessionsAnew(): () => void {
  const cache = useQueryClient()
  return () => void cache.invalidateQueries({ queryKey: OWN_SESSIONS })
}

/** Changes something of the user's own account, and reads the user's own sessions anew. */
export function useOwnChange<Item>() {
  const client = useClient()
  const readSessionsAnew = useSessionsAnew()
  return useMutation({
    // Answers are not cached, because some hold secrets.
    gcTime: 0,
    mutationFn: async ({ path, ...call }: OwnCall) => (await client.send<One<Item>>(path, call)).body.data,
    onSettled: readSessionsAnew,
  })
}
