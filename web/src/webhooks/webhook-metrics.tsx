import { NativeSelect, Stack } from '@mantine/core'
import type { WebhookStats } from '../common/api/wire.ts'
import { useOne } from '../common/session/queries.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { Loaded } from '../common/ui/loaded.tsx'
import { AttemptCharts } from './attempt-charts.tsx'

const WINDOWS: readonly { readonly value: WebhookStats['window']; readonly label: string }[] = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
]

/** Figures are written some seconds after an attempt. */
const READ_EVERY_MS = 30_000

/** How endpoints have answered. @param path of the statistics: of one webhook, or of all */
export function AttemptMetrics({ path }: { path: string }) {
  const { get, set } = useUrlFilters()
  const window = WINDOWS.find(({ value }) => value === get('window'))?.value ?? '24h'
  const reading = useOne<WebhookStats>(path, { query: { window }, everyMs: READ_EVERY_MS })
  return (
    <Stack>
      <NativeSelect
        label="Time"
        maw={200}
        data={[...WINDOWS]}
        value={window}
        onChange={(event) => set({ window: event.currentTarget.value })}
      />
      <Loaded reading={reading}>{({ item }) => <AttemptCharts stats={item} />}</Loaded>
    </Stack>
  )
}
