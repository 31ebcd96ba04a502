import { Button, Text } from '@mantine/core'
import type { AuditEntry } from '../common/api/wire.ts'
import { FilteredList } from '../common/filters/filtered-list.tsx'
import { useClient, usePlace } from '../common/session/context.ts'
import { useParts } from '../common/session/queries.ts'
import { useChosenAt } from '../common/session/use-chosen-at.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { FilterSelect } from '../common/ui/filter-select.tsx'
import { HistoryRows } from './history.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { Permitted } from '../common/ui/permitted.tsx'
import { showRefusal } from '../common/ui/toasts.tsx'
import { windowOf } from '../deliveries/filters.ts'
import { TimeFilter } from '../deliveries/time-filter.tsx'
import { ObjectFilter, WhoFilter } from './party-filter.tsx'
import { texts } from './texts.ts'

const ACTIONS = [
  { value: '', label: texts.allActions },
  ...Object.entries(texts.actions).map(([value, label]) => ({ value, label })),
]

/** The audit of the company: who did what, newest first. Filters: person, action, object and time. */
export default function Audit() {
  return (
    <Permitted action="audit.read" title={texts.audit}>
      <AuditList />
    </Permitted>
  )
}

function AuditList() {
  const { base } = usePlace()
  const client = useClient()
  const { get, set } = useUrlFilters()
  const [actor, action, target] = [get('actor'), get('action'), get('target')]
  const times = { within: get('within'), after: get('after'), before: get('before') }
  const isFiltered = [actor, action, target, times.within].some((value) => value !== '')
  const query = { actor, action, target, ...windowOf(times, useChosenAt(times.within)) }
  const list = useParts<AuditEntry>('/audit', query)
  const exportAs = async (format: string) => {
    const given = Object.entries({ ...query, format }).filter(([, value]) => value !== '')
    // A browser shows no refusal of a download, so this asks first. If the session has ended, the screen shows the sign-in.
    const { state } = await client.session()
    if (state === 'signed_in')
      location.assign(`/console/api${base}/audit/export?${new URLSearchParams(given).toString()}`)
  }
  return (
    <>
      <PageTitle title={texts.audit}>
        <Button variant="default" onClick={() => void exportAs('csv').catch(showRefusal)}>
          {texts.exportCsv}
        </Button>
        <Button variant="default" onClick={() => void exportAs('jsonl').catch(showRefusal)}>
          {texts.exportJson}
        </Button>
      </PageTitle>
      <div className="toolbar">
        <WhoFilter />
        <FilterSelect name="action" label={texts.what} data={ACTIONS} />
        <ObjectFilter />
        <TimeFilter />
      </div>
      <FilteredList list={list} isFiltered={isFiltered} none={<Text>{texts.nothingHasHappenedYet}</Text>}>
        {(entries) => <HistoryRows entries={entries} onFilter={set} />}
      </FilteredList>
    </>
  )
}
