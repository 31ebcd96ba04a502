import type { EventType } from '../common/api/wire.ts'
import { useOne } from '../common/session/queries.ts'
import { FilterSelect } from '../common/ui/filter-select.tsx'
import { TEST_EVENT } from './filters.ts'
import { texts } from './texts.ts'

/** The event types of the catalog, and the type of test events. */
export function TypeFilter() {
  const catalog = useOne<readonly EventType[]>('/event-types')
  const types = [...(catalog.data?.item ?? []).map(({ name }) => name), TEST_EVENT]
  return (
    <FilterSelect
      name="event_type"
      label={texts.event}
      data={[{ value: '', label: texts.allEvents }, ...types]}
    />
  )
}
