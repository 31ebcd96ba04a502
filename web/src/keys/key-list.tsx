import { useState } from 'react'
import type { Key } from '../common/api/wire.ts'
import { FilteredList } from '../common/filters/filtered-list.tsx'
import { useMay, useSession } from '../common/session/context.ts'
import { useParts } from '../common/session/queries.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { ButtonLink } from '../common/ui/button-link.tsx'
import { DataTable, type Column } from '../common/ui/data-table.tsx'
import { EmptyState } from '../common/ui/empty-state.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import type { KeyAction } from './key-access.ts'
import { KeyDialog } from './key-dialogs.tsx'
import { FILTER_NAMES, KeyFilters } from './key-filters.tsx'
import { inPairs } from './key-pairs.ts'
import { KeyRow } from './key-row.tsx'
import { texts } from './texts.ts'

const COLUMNS: readonly Column[] = [
  texts.state,
  texts.name,
  { name: texts.type, isSpare: true },
  texts.scopesLabel,
  { name: texts.addresses, isSpare: true },
  texts.lastUsed,
  { name: texts.requests, isFigure: true },
  texts.expires,
  { name: texts.actions, isControl: true },
]

/** All keys of the environment, newest first. */
export function KeyList() {
  const { settings } = useSession()
  const mayCreate = useMay('keys.create')
  const { get } = useUrlFilters()
  const filters = Object.fromEntries(FILTER_NAMES.map((name) => [name, get(name)]))
  const isFiltered = FILTER_NAMES.some((name) => get(name) !== '')
  const list = useParts<Key>('/keys', filters)
  // The dialogs are kept here, because an action may remove the row that opened them.
  const [open, setOpen] = useState<{ readonly action: KeyAction; readonly apiKey: Key }>()
  return (
    <>
      <PageTitle title={texts.apiKeys}>
        {mayCreate && (
          <ButtonLink href="/keys/new" variant="filled">
            {texts.createApiKey}
          </ButtonLink>
        )}
      </PageTitle>
      <KeyFilters />
      <FilteredList
        list={list}
        isFiltered={isFiltered}
        none={
          <EmptyState
            title={texts.noKeys}
            action={
              mayCreate && (
                <ButtonLink href="/keys/new" variant="filled">
                  {texts.createApiKey}
                </ButtonLink>
              )
            }
            curl={`curl -H 'Authorization: Bearer <your key>' ${settings.public_url}/api-v1-webhooks`}
          >
            {texts.empty}
          </EmptyState>
        }
      >
        {(keys) => (
          <DataTable label={texts.apiKeys} columns={COLUMNS} isTall>
            {inPairs(keys).map((listed) => (
              <KeyRow
                key={listed.key.id}
                listed={listed}
                onChoose={(action) => setOpen({ action, apiKey: listed.key })}
              />
            ))}
          </DataTable>
        )}
      </FilteredList>
      {open && <KeyDialog {...open} onClose={() => setOpen(undefined)} />}
    </>
  )
}
