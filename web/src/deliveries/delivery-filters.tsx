import { Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import type { EventType } from '../common/api/webhooks.js'
import { useOne } from '../common/session/queries.js'
import { useUrlFilters } from '../common/session/url-filters.js'
import { RESPONSES, SPANS, STATUSES } from './filters.js'

/** Test events are no part of the catalog, because nobody subscribes to them. */
const TEST_EVENT = 'test.webhook'

const TYPING_PAUSE_MS = 300

export function DeliveryFilterBar() {
  const { get, set } = useUrlFilters()
  const catalog = useOne<readonly EventType[]>('/event-types')
  const types = [...(catalog.data?.item ?? []).map(({ name }) => name), TEST_EVENT]
  return (
    <Group mb="md" align="flex-end">
      <NativeSelect
        label="State"
        data={[...STATUSES]}
        value={get('status')}
        onChange={(event) => set({ status: event.currentTarget.value })}
      />
      <NativeSelect
        label="Event"
        data={[{ value: '', label: 'All events' }, ...types]}
        value={get('event_type')}
        onChange={(event) => set({ event_type: event.currentTarget.value })}
      />
      <NativeSelect
        label="Answer"
        data={RESPONSES}
        value={get('response')}
        onChange={(event) => set({ response: event.currentTarget.value })}
      />
      <NativeSelect
        label="Created"
        data={SPANS}
        value={get('within')}
        onChange={(event) => set({ within: event.currentTarget.value })}
      />
      <EventIdInput />
    </Group>
  )
}

function EventIdInput() {
  const { get, set } = useUrlFilters()
  const inUrl = get('event_id')
  const [text, setText] = useState(inUrl)
  const [searched, setSearched] = useState(inUrl)
  // The back button and «Clear filters» change the address and not what was typed.
  if (inUrl !== searched) {
    setSearched(inUrl)
    if (inUrl !== text.trim()) setText(inUrl)
  }
  const search = useDebouncedCallback((value: string) => set({ event_id: value.trim() }), TYPING_PAUSE_MS)
  return (
    <TextInput
      label="Event id"
      placeholder="evt_…"
      maxLength={80}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        search(event.currentTarget.value)
      }}
    />
  )
}
