import { NativeSelect } from '@mantine/core'
import type { EventType } from '../common/api/wire.ts'
import { useOne } from '../common/session/queries.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { TEST_EVENT } from './filters.ts'
import { texts } from './texts.ts'

/** The types of the catalog, and that of test events. */
export function TypeFilter() {
  const { get, set } = useUrlFilters()
  const catalog = useOne<readonly EventType[]>('/event-types')
  const types = [...(catalog.data?.item ?? []).map(({ name }) => name), TEST_EVENT]
  return (
    <NativeSelect
      label={texts.event}
      data={[{ value: '', label: texts.allEvents }, ...types]}
      value={get('event_type')}
      onChange={(event) => set({ event_type: event.currentTarget.value })}
    />
  )
}
