import { Button, NativeSelect, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { PartOf } from '../common/api/paging.js'
import type { Delivery } from '../common/api/deliveries.js'
import { count, plural } from '../common/format/numbers.js'
import { useClient, usePlace } from '../common/session/context.js'
import { Loaded } from '../common/ui/loaded.js'
import { readFilters, SPANS, toQuery } from './filters.js'
import { RetryDialog } from './retry-dialog.js'
import { collect, RETRIED_AT_ONCE } from './retry-many.js'

/** A whole part of the list at a time. */
const PART = 100

/** Retries everything that failed for good since a time. @param path of the list of deliveries */
export function RetryFailed({ path }: { path: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        Retry all that failed
      </Button>
      {isOpen && <RetryFailedDialog path={path} onClose={() => setOpen(false)} />}
    </>
  )
}

function RetryFailedDialog({ path, onClose }: { path: string; onClose: () => void }) {
  const [within, setWithin] = useState('24h')
  const found = useFailed(path, within)
  return (
    <RetryDialog title="Retry all that failed" targets={found.data?.targets} onClose={onClose}>
      <NativeSelect
        label="Created within"
        data={SPANS}
        value={within}
        onChange={(event) => setWithin(event.currentTarget.value)}
      />
      <Loaded reading={found}>
        {({ targets, hasMore }) => (
          <Text>
            {hasMore
              ? `More than ${count(RETRIED_AT_ONCE)} deliveries failed. The newest ${count(RETRIED_AT_ONCE)} are retried; then ask again.`
              : `${plural(targets.length, 'delivery', 'deliveries')} failed for good.`}
          </Text>
        )}
      </Loaded>
    </RetryDialog>
  )
}

/** The failed deliveries of a list. They are counted when the dialog opens, and do not change while it is open. */
function useFailed(path: string, within: string) {
  const client = useClient()
  const { base } = usePlace()
  const [openedAt] = useState(() => new Date())
  return useQuery({
    queryKey: ['failed', base, path, within, openedAt],
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => {
      const filters = readFilters((name) => (name === 'within' ? within : name === 'status' ? 'failed' : ''))
      const given = Object.entries(toQuery(filters, openedAt)).filter(([, value]) => value !== '')
      return collect(async (cursor) => {
        const query = { ...Object.fromEntries(given), cursor, limit: PART }
        return (await client.send<PartOf<Delivery>>(`${base}${path}`, { query, signal })).body
      })
    },
  })
}
