import type { ReactNode } from 'react'
import { FilterSelect } from '../common/ui/filter-select.tsx'
import { FilterBarStart } from './filter-bar-start.tsx'
import { RESPONSES, STATUSES } from './filters.ts'
import { TimeFilter } from './time-filter.tsx'
import { TypeFilter } from './type-filter.tsx'
import { texts } from './texts.ts'

/** The filters of the list, and at the end of the line other actions for the list. */
export const DeliveryFilterBar = ({ children }: { children: ReactNode }) => (
  <div className="toolbar">
    <FilterBarStart page="deliveries" />
    <FilterSelect name="status" label={texts.state} data={[...STATUSES]} />
    <TypeFilter />
    <FilterSelect name="response" label={texts.response} data={RESPONSES} />
    <TimeFilter />
    {children}
  </div>
)
