import type { Notice } from '../common/api/wire.ts'
import { FilteredList } from '../common/filters/filtered-list.tsx'
import { useSession } from '../common/session/context.ts'
import { useParts } from '../common/session/queries.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { EmptyState } from '../common/ui/empty-state.tsx'
import { FilterSelect } from '../common/ui/filter-select.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { KIND_CHOICES } from './notice-kinds.ts'
import { NoticeRows } from './notice-rows.tsx'
import { texts } from './texts.ts'

/** How often the list is read anew: the service makes notices once a minute. */
const READ_EVERY_MS = 60_000

/** What somebody should know of webhooks and keys, newest first. */
export default function Notices() {
  const { settings } = useSession()
  const { get } = useUrlFilters()
  const kind = get('kind')
  const list = useParts<Notice>('/notices', { kind }, { everyMs: READ_EVERY_MS })
  return (
    <>
      <PageTitle title={texts.notices} />
      <div className="toolbar">
        <FilterSelect name="kind" label={texts.kind} data={KIND_CHOICES} />
      </div>
      <FilteredList
        list={list}
        isFiltered={kind !== ''}
        none={
          <EmptyState
            curl={`curl -H 'Authorization: Bearer <your key>' ${settings.public_url}/api-v1-notices`}
          >
            {texts.empty}
          </EmptyState>
        }
      >
        {(notices) => <NoticeRows notices={notices} />}
      </FilteredList>
    </>
  )
}
