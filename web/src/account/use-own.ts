import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Call } from '../common/api/transport.ts'
import type { One } from '../common/api/paging.ts'
import { useClient } from '../common/session/context.ts'

type OwnCall = Pick<Call, 'method' | 'body'> & { readonly path: string }

/** Of the query with the own sessions. */
export const OWN_SESSIONS = ['own-sessions']

/** What reads the list of own sessions anew: most changes of the own account end others. */
export function useSessionsAnew(): () => void {
  const cache = useQueryClient()
  return () => void cache.invalidateQueries({ queryKey: OWN_SESSIONS })
}

/** Changes something of the own account, and reads the own sessions anew. */
export function useOwnChange<Item>() {
  const client = useClient()
  const readSessionsAnew = useSessionsAnew()
  return useMutation({
    // Some answers hold secrets.
    gcTime: 0,
    mutationFn: async ({ path, ...call }: OwnCall) => (await client.send<One<Item>>(path, call)).body.data,
    onSettled: readSessionsAnew,
  })
}
