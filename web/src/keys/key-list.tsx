import type { Key } from '../common/api/wire.ts'
import { useMay, useSession } from '../common/session/context.ts'
import { useParts } from '../common/session/queries.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { ButtonLink } from '../common/ui/button-link.tsx'
import { DataTable, type Column } from '../common/ui/data-table.tsx'
import { EmptyState } from '../common/ui/empty-state.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { MoreButton } from '../common/ui/more-button.tsx'
import { NoMatch } from '../common/ui/no-match.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { FILTER_NAMES, KeyFilters } from './key-filters.tsx'
import { KeyRow } from './key-row.tsx'
import { texts } from './texts.ts'

const COLUMNS: readonly Column[] = [
  texts.state,
  texts.name,
  texts.type,
  texts.scopesLabel,
  texts.addresses,
  texts.lastUsed,
  texts.last30Days,
  { name: texts.total, isFigure: true },
  texts.expires,
  texts.actions,
]

/** All keys of the environment, newest first. */
export function KeyList() {
  const { settings } = useSession()
  const mayCreate = useMay('keys.create')
  const { get, replaceAll } = useUrlFilters()
  const filters = Object.fromEntries(FILTER_NAMES.map((name) => [name, get(name)]))
  const isFiltered = FILTER_NAMES.some((name) => get(name) !== '')
  const list = useParts<Key>('/keys', filters)
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
      <Loaded reading={list}>
        {({ pages }) => {
          const keys = pages.flatMap((page) => page.data)
          if (keys.length === 0 && !isFiltered)
            return (
              <EmptyState
                action={mayCreate && <ButtonLink href="/keys/new">{texts.createApiKey}</ButtonLink>}
                curl={`curl -H 'Authorization: Bearer <your key>' ${settings.public_url}/api-v1-webhooks`}
              >
                {texts.empty}
              </EmptyState>
            )
          return (
            <>
              {keys.length === 0 ? (
                !list.hasNextPage && <NoMatch onClear={() => replaceAll({})} />
              ) : (
                <DataTable label={texts.apiKeys} columns={COLUMNS} isTall>
                  {keys.map((key) => (
                    <KeyRow key={key.id} apiKey={key} />
                  ))}
                </DataTable>
              )}
              <MoreButton list={list} isEmpty={keys.length === 0} />
            </>
          )
        }}
      </Loaded>
    </>
  )
}
