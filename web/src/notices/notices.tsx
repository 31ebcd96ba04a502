import type { Notice } from '../common/api/wire.ts'
import { useSession } from '../common/session/context.ts'
import { useParts } from '../common/session/queries.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { EmptyState } from '../common/ui/empty-state.tsx'
import { FilterSelect } from '../common/ui/filter-select.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { MoreButton } from '../common/ui/more-button.tsx'
import { NoMatch } from '../common/ui/no-match.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { KIND_CHOICES } from './notice-kinds.ts'
import { NoticeRows } from './notice-rows.tsx'
import { texts } from './texts.ts'

/** How often the list is read anew: the service makes notices once a minute. */
const READ_EVERY_MS = 60_000

/** What somebody should know of webhooks and keys, newest first. */
export default function Notices() {
  const { settings } = useSession()
  const { get, replaceAll } = useUrlFilters()
  const kind = get('kind')
  const list = useParts<Notice>('/notices', { kind }, { everyMs: READ_EVERY_MS })
  return (
    <>
      <PageTitle title={texts.notices} />
      <div className="toolbar">
        <FilterSelect name="kind" label={texts.kind} data={KIND_CHOICES} />
      </div>
      <Loaded reading={list}>
        {({ pages }) => {
          const notices = pages.flatMap((page) => page.data)
          if (notices.length === 0 && !list.hasNextPage)
            return kind === '' ? (
              <EmptyState
                curl={`curl -H 'Authorization: Bearer <your key>' ${settings.public_url}/api-v1-notices`}
              >
                {texts.empty}
              </EmptyState>
            ) : (
              <NoMatch onClear={() => replaceAll({})} />
            )
          return (
            <>
              {notices.length > 0 && <NoticeRows notices={notices} />}
              <MoreButton list={list} isEmpty={notices.length === 0} />
            </>
          )
        }}
      </Loaded>
    </>
  )
}
