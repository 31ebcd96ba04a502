import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { AllowlistVerdict } from '../common/api/wire.ts'
import type { One } from '../common/api/paging.ts'
import { useClient, usePlace } from '../common/session/context.ts'

/** How long typing must pause before the lines are checked, in milliseconds. */
const TYPING_PAUSE_MS = 400

/**
 * Asks the api which lines of an allowlist are wrong, and whether the key would accept an address.
 *
 * @param text one entry per line
 * @param address empty: check only the lines
 */
export function useAllowlistCheck(text: string, address: string) {
  const client = useClient()
  const { base } = usePlace()
  const [body] = useDebouncedValue({ ip_allowlist: text, address }, TYPING_PAUSE_MS)
  return useQuery({
    queryKey: ['allowlist', base, body.ip_allowlist, body.address],
    queryFn: async ({ signal }) => {
      const call = { method: 'POST', body, signal } as const
      return (await client.send<One<AllowlistVerdict>>(`${base}/allowlist-test`, call)).body.data
    },
    enabled: body.ip_allowlist.trim() !== '' || body.address !== '',
    placeholderData: keepPreviousData,
  })
}
