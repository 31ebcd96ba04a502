import { NativeSelect } from '@mantine/core'
import type { ReactNode } from 'react'
import type { EventType } from '../common/api/wire.ts'
import { TEST_EVENT } from './filters.ts'
import { useOne } from '../common/session/queries.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { FilterText } from '../common/ui/filter-text.tsx'
import { RESPONSES, STATUSES } from './filters.ts'
import { TimeFilter } from './time-filter.tsx'
import { texts } from './texts.ts'

/** What narrows the list. @param children at the end of the row */
export function DeliveryFilterBar({ children }: { children: ReactNode }) {
  const { get, set } = useUrlFilters()
  const catalog = useOne<readonly EventType[]>('/event-types')
  const types = [...(catalog.data?.item ?? []).map(({ name }) => name), TEST_EVENT]
  return (
    <div className="toolbar">
      <NativeSelect
        label={texts.state}
        data={[...STATUSES]}
        value={get('status')}
        onChange={(event) => set({ status: event.currentTarget.value })}
      />
      <NativeSelect
        label={texts.event}
        data={[{ value: '', label: texts.allEvents }, ...types]}
        value={get('event_type')}
        onChange={(event) => set({ event_type: event.currentTarget.value })}
      />
      <NativeSelect
        label={texts.response}
        data={RESPONSES}
        value={get('response')}
        onChange={(event) => set({ response: event.currentTarget.value })}
      />
      <FilterText
        name="id"
        label={texts.eventOrDeliveryId}
        placeholder={texts.eventOrDeliveryIdExample}
        maxLength={80}
      />
      <TimeFilter />
      <div className="toolbar-end">{children}</div>
    </div>
  )
}
