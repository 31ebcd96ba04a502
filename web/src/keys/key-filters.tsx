import { NativeSelect } from '@mantine/core'
import { useSession } from '../common/session/context.ts'
import { useUrlFilters } from '../common/session/url-filters.ts'
import { FilterText } from '../common/ui/filter-text.tsx'

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

export function KeyFilters() {
  const { settings } = useSession()
  const { get, set } = useUrlFilters()
  const scopes = [{ value: '', label: 'All scopes' }, ...settings.scopes.map(({ name }) => name)]
  return (
    <div className="toolbar">
      <FilterText name="q" label="Search" placeholder="Name or prefix" maxLength={100} />
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
    </div>
  )
}
