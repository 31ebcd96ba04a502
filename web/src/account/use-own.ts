import { useMutation } from '@tanstack/react-query'
import type { Call } from '../common/api/transport.ts'
import type { One } from '../common/api/paging.ts'
import { useClient } from '../common/session/context.ts'

type OwnCall = Pick<Call, 'method' | 'body'> & { readonly path: string }

/** Changes something of the own account. */
export function useOwnChange<Item>() {
  const client = useClient()
  return useMutation({
    // Some answers hold secrets.
    gcTime: 0,
    mutationFn: async ({ path, ...call }: OwnCall) => (await client.send<One<Item>>(path, call)).body.data,
  })
}
