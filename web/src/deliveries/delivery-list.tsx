import { ActionIcon, Switch } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import type { Delivery } from '../common/api/wire.ts'
import { FilteredList } from '../common/filters/filtered-list.tsx'
import { useMay, useSession } from '../common/session/context.ts'
import { useParts } from '../common/session/queries.ts'
import { useChosenAt } from '../common/session/use-chosen-at.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { EmptyState } from '../common/ui/empty-state.tsx'
import { IconX } from '../common/ui/icons.ts'
import { TextLink } from '../common/ui/text-link.tsx'
import { DeliveryFilterBar } from './delivery-filters.tsx'
import { DeliveryTable, type Selection } from './delivery-table.tsx'
import { SelectUndelivered, SelectedActions } from './selected-actions.tsx'
import { isFiltered, readFilters, toQuery } from './filters.ts'
import { TailNews } from './tail-news.tsx'
import { texts } from './texts.ts'

/** How often the list is read while it is followed. */
const TAIL_EVERY_MS = 3_000

type Props = {
  /** The path of the list in the API, after the environment: of all webhooks, or of one. */
  readonly path: string
  readonly showsWebhook?: boolean
  /** Opens the dialog that recovers the one webhook. Absent for all webhooks. */
  readonly recover?: ReactNode
}

/** A list of deliveries, newest first. Its filters, and whether it is followed, are in the URL. */
export function DeliveryList({ path, showsWebhook = false, recover }: Props) {
  const { get, set, clear } = useUrlFilters()
  const filters = readFilters(get)
  const chosenAt = useChosenAt(filters.within)
  const isTail = get('tail') === 'on'
  const [mayRetry, mayResend] = [useMay('deliveries.retry'), useMay('deliveries.resend')]
  const [selected, onSelect] = useState<ReadonlySet<string>>(new Set())
  const selection: Selection | undefined = mayRetry || mayResend ? { selected, onSelect } : undefined
  // A search costs too much to be repeated all the time.
  const isFollowing = isTail && filters.q === ''
  const list = useParts<Delivery>(path, toQuery(filters, chosenAt), {
    // Without a cursor, the list of one webhook would be by page.
    firstCursor: '',
    // Only the first part is read again: with 40 parts each read would cost 40 requests, more than a session may make.
    ...(isFollowing && { everyMs: TAIL_EVERY_MS, hasOnePart: true }),
  })
  const deliveries = list.data?.pages.flatMap((page) => page.data) ?? []
  const hasOlder = list.data?.pages.at(-1)?.pagination.has_more
  return (
    <>
      <DeliveryFilterBar>
        <div className="toolbar-end" data-yields={selected.size > 0 || undefined}>
          {/* This line is always there, so that nothing moves when a filter is set. */}
          <span className="icon-room">
            {isFiltered(filters) && deliveries.length > 0 && (
              <ActionIcon
                variant="subtle"
                aria-label={texts.clearFilters}
                title={texts.clearFilters}
                onClick={clear}
              >
                <IconX size={16} stroke={1.75} aria-hidden />
              </ActionIcon>
            )}
          </span>
          {selection && <SelectUndelivered deliveries={deliveries} {...selection} />}
          {isTail && list.data && <TailNews deliveries={deliveries} />}
          <Switch
            size="xs"
            label={texts.followLive}
            checked={isTail}
            onChange={(event) => set({ tail: event.currentTarget.checked ? 'on' : '' })}
          />
        </div>
      </DeliveryFilterBar>
      <FilteredList
        list={list}
        isFiltered={isFiltered(filters)}
        none={<NoDeliveries />}
        foot={
          <>
            {isFollowing && hasOlder && <p className="quiet">{texts.onlyTheLatest}</p>}
            {showsWebhook && selection && (
              <p className="quiet">
                {texts.recoverInstead({
                  webhook: <TextLink href="/webhooks">{texts.aWebhook}</TextLink>,
                })}
              </p>
            )}
          </>
        }
      >
        {(items) => <DeliveryTable deliveries={items} showsWebhook={showsWebhook} selection={selection} />}
      </FilteredList>
      {selection && <SelectedActions deliveries={deliveries} {...selection} recover={recover} />}
    </>
  )
}

function NoDeliveries() {
  const { settings } = useSession()
  return (
    <EmptyState
      title={texts.nothingSent}
      curl={`curl -H 'Authorization: Bearer <your key>' -H 'Content-Type: application/json' ${settings.public_url}/api-v1-contacts \\
  -d '{"name": "Ada Lovelace"}'`}
    >
      {texts.empty}
    </EmptyState>
  )
}
