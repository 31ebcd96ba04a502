import { Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useSession } from '../common/session/context.js'
import { useUrlFilters } from '../common/session/url-filters.js'

export const FILTER_NAMES = ['state', 'type', 'scope', 'q'] as const

const STATES = [
  { value: '', label: 'All states' },
  { value: 'active', label: 'Active' },
  { value: 'in_rotation', label: 'In rotation' },
  { value: 'disabled', label: 'Disabled' },
  { value: 'expired', label: 'Expired' },
  { value: 'revoked', label: 'Revoked' },
]

const TYPES = [
  { value: '', label: 'Personal and Shared' },
  { value: 'Personal', label: 'Personal' },
  { value: 'Shared', label: 'Shared' },
]

/** Pause in typing after which the list is asked for. */
const TYPING_PAUSE_MS = 300

export function KeyFilters() {
  const { settings } = useSession()
  const { get, set } = useUrlFilters()
  const scopes = [{ value: '', label: 'All scopes' }, ...settings.scopes.map(({ name }) => name)]
  return (
    <Group mb="md" align="flex-end">
      <SearchText />
      <NativeSelect
        label="State"
        data={STATES}
        value={get('state')}
        onChange={(event) => set({ state: event.currentTarget.value })}
      />
      <NativeSelect
        label="Type"
        data={TYPES}
        value={get('type')}
        onChange={(event) => set({ type: event.currentTarget.value })}
      />
      <NativeSelect
        label="Scope"
        data={scopes}
        value={get('scope')}
        onChange={(event) => set({ scope: event.currentTarget.value })}
      />
    </Group>
  )
}

function SearchText() {
  const { get, set } = useUrlFilters()
  const [text, setText] = useState(get('q'))
  const search = useDebouncedCallback((value: string) => set({ q: value.trim() }), TYPING_PAUSE_MS)
  return (
    <TextInput
      label="Search"
      placeholder="Name, or how the key begins"
      maxLength={255}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value)
        search(event.currentTarget.value)
      }}
    />
  )
}
