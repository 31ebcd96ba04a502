import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { Redirect } from 'wouter'
import type { PageOf } from '../common/api/paging.ts'
import type { Webhook } from '../common/api/wire.ts'
import { useMay, useSession } from '../common/session/context.ts'
import { usePage } from '../common/session/queries.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { ButtonLink } from '../common/ui/button-link.tsx'
import { EmptyState } from '../common/ui/empty-state.tsx'
import { FilterSelect } from '../common/ui/filter-select.tsx'
import { FilterText } from '../common/ui/filter-text.tsx'
import { Loaded } from '../common/ui/loaded.tsx'
import { NoMatch } from '../common/ui/no-match.tsx'
import { PageTitle } from '../common/ui/page-title.tsx'
import { TextLink } from '../common/ui/text-link.tsx'
import { MissedCheck } from '../recoveries/missed-check.tsx'
import { WebhookTable } from './webhook-table.tsx'
import { texts } from './texts.ts'

const STATES = [
  { value: '', label: texts.allStates },
  { value: 'true', label: texts.fields.is_active },
  { value: 'false', label: texts.inactive },
]

export function WebhookList() {
  const mayWrite = useMay('webhooks.write')
  const { get, set, clear } = useUrlFilters()
  const isActive = get('is_active')
  const text = get('q')
  const page = Number(get('page') || '1')
  const queryOf = (to: number) => new URLSearchParams({ is_active: isActive, q: text, page: String(to) })
  // The offer is kept here, because an activation may remove the row, or the whole table.
  const [activated, setActivated] = useState<Webhook>()
  const list = usePage<PageOf<Webhook>>('/webhooks', { is_active: isActive, q: text, page })
  return (
    <>
      <PageTitle title={texts.webhooks}>
        {mayWrite && (
          <ButtonLink href="/webhooks/new" variant="filled">
            {texts.createWebhook}
          </ButtonLink>
        )}
      </PageTitle>
      <div className="toolbar">
        <FilterText
          name="q"
          label={texts.search}
          placeholder={texts.nameOrUrl}
          maxLength={255}
          removes={['page']}
        />
        <FilterSelect
          name="is_active"
          label={texts.state}
          data={STATES}
          onChoose={(value) => set({ is_active: value, page: '' })}
        />
      </div>
      <Loaded reading={list}>
        {({ data, pagination: { total, limit } }) => {
          if (total === 0 && isActive === '' && text === '') return <NoWebhooks mayWrite={mayWrite} />
          if (total === 0) return <NoMatch onClear={clear} />
          const last = Math.ceil(total / limit)
          // This page is empty: its last row is gone, or an old address names a page that no longer exists.
          if (data.length === 0) return <Redirect to={`/webhooks?${queryOf(last)}`} replace />
          return (
            <>
              <WebhookTable
                webhooks={data}
                onSet={(changed) => setActivated(changed.is_active ? changed : undefined)}
              />
              {total > limit && <p className="quiet">{texts.worstFirst}</p>}
              <Pages total={last} page={page} onGo={(to) => set({ page: String(to) })} />
            </>
          )
        }}
      </Loaded>
      {activated && (
        <MissedCheck key={activated.id} webhook={activated} onClose={() => setActivated(undefined)} />
      )}
    </>
  )
}

function NoWebhooks({ mayWrite }: { mayWrite: boolean }) {
  const { settings } = useSession()
  return (
    <EmptyState
      title={texts.noWebhooks}
      action={
        <Group>
          {mayWrite && (
            <ButtonLink href="/webhooks/new" variant="filled">
              {texts.createWebhook}
            </ButtonLink>
          )}
          <TextLink href="/webhooks/receiving">{texts.howToCheck}</TextLink>
        </Group>
      }
      curl={`curl -H 'Authorization: Bearer <your key>' -H 'Content-Type: application/json' ${settings.public_url}/api-v1-webhooks \\
  -d '{"name": "Contacts", "url": "https://hooks.example.com/contacts", "events": ["contact.created"]}'`}
    >
      {texts.empty}
    </EmptyState>
  )
}

type PagesProps = { readonly total: number; readonly page: number; readonly onGo: (page: number) => void }

function Pages({ total, page, onGo }: PagesProps) {
  if (total <= 1) return null
  return (
    <Group mt="sm">
      <Button variant="default" disabled={page <= 1} onClick={() => onGo(page - 1)}>
        {texts.newer}
      </Button>
      <Text size="sm">{texts.pageOf({ page, total })}</Text>
      <Button variant="default" disabled={page >= total} onClick={() => onGo(page + 1)}>
        {texts.older}
      </Button>
    </Group>
  )
}
