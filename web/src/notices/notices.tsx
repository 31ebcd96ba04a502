import { Button } from '@mantine/core'
import type { Notice } from '../common/api/wire.ts'
import { FilteredList } from '../common/filters/filtered-list.tsx'
import { useMay, useSession } from '../common/session/context.ts'
import { useParts } from '../common/session/queries.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { EmptyState } from '../common/ui/empty-state.tsx'
import { FilterSelect } from '../common/ui/filter-select.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { Segments } from '../common/ui/segments.tsx'
import { KIND_CHOICES } from './notice-kinds.ts'
import { NoticeRows } from './notice-rows.tsx'
import { texts } from './texts.ts'
import { useMarks } from './use-marks.ts'

/** How often the list is read again. The service makes notices once a minute. */
const READ_EVERY_MS = 60_000

/** The states of the filter, by their values in the address. The first is the default, because people come for open notices. */
const STATES = [
  { value: '', label: texts.open },
  { value: 'done', label: texts.done },
  { value: 'all', label: texts.all },
] as const

const QUERY = { '': 'open', done: 'done', all: '' } as const

/** The notices about webhooks and keys, newest first. */
export default function Notices() {
  const { settings } = useSession()
  const mayMark = useMay('notices.mark')
  const { get, set } = useUrlFilters()
  const kind = get('kind')
  const state = STATES.find(({ value }) => value === get('state'))?.value ?? ''
  const list = useParts<Notice>('/notices', { kind, state: QUERY[state] }, { everyMs: READ_EVERY_MS })
  const marks = useMarks()
  const newest = list.data?.pages[0]?.data[0]
  return (
    <>
      <PageTitle title={texts.notices}>
        {mayMark && newest && state === '' && kind === '' && (
          <Button variant="default" onClick={() => marks.markUpTo(newest)}>
            {texts.markAll}
          </Button>
        )}
      </PageTitle>
      <div className="toolbar">
        <FilterSelect name="kind" label={texts.kind} data={KIND_CHOICES} />
        <Segments
          label={texts.state}
          choices={STATES}
          value={state}
          onChange={(chosen) => set({ state: chosen })}
        />
      </div>
      <FilteredList
        list={list}
        isFiltered={kind !== '' || state === 'done'}
        none={
          <EmptyState
            title={texts.nothingNeedsYou}
            curl={`curl -H 'Authorization: Bearer <your key>' ${settings.public_url}/api-v1-notices`}
          >
            {texts.empty}
          </EmptyState>
        }
      >
        {(notices) => <NoticeRows notices={notices} marks={marks} leaves={state !== 'all'} />}
      </FilteredList>
    </>
  )
}
