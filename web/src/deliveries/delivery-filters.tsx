import { NativeSelect } from '@mantine/core'
import type { ReactNode } from 'react'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { FilterBarStart } from './filter-bar-start.tsx'
import { RESPONSES, STATUSES } from './filters.ts'
import { TimeFilter } from './time-filter.tsx'
import { TypeFilter } from './type-filter.tsx'
import { texts } from './texts.ts'

/** What narrows the list. @param children at the end of the row */
export function DeliveryFilterBar({ children }: { children: ReactNode }) {
  const { get, set } = useUrlFilters()
  return (
    <div className="toolbar">
      <FilterBarStart page="deliveries" />
      <NativeSelect
        label={texts.state}
        data={[...STATUSES]}
        value={get('status')}
        onChange={(event) => set({ status: event.currentTarget.value })}
      />
      <TypeFilter />
      <NativeSelect
        label={texts.response}
        data={RESPONSES}
        value={get('response')}
        onChange={(event) => set({ response: event.currentTarget.value })}
      />
      <TimeFilter />
      <div className="toolbar-end">{children}</div>
    </div>
  )
}
