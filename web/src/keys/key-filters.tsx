import { useSession } from '../common/session/context.ts'
import { FilterSelect } from '../common/ui/filter-select.tsx'
import { FilterText } from '../common/ui/filter-text.tsx'
import { texts } from './texts.ts'

export const FILTER_NAMES = ['state', 'type', 'scope', 'q'] as const

const STATES = [
  { value: '', label: texts.allStates },
  { value: 'active', label: texts.active },
  { value: 'in_rotation', label: texts.stateInRotation },
  { value: 'disabled', label: texts.stateDisabled },
  { value: 'expired', label: texts.expired },
  { value: 'revoked', label: texts.revoked },
]

const TYPES = [
  { value: '', label: texts.allTypes },
  { value: 'Personal', label: texts.personal },
  { value: 'Shared', label: texts.shared },
]

export function KeyFilters() {
  const { settings } = useSession()
  const scopes = [{ value: '', label: texts.allScopes }, ...settings.scopes.map(({ name }) => name)]
  return (
    <div className="toolbar">
      <FilterText name="q" label={texts.search} placeholder={texts.nameOrPrefix} maxLength={100} />
      <FilterSelect name="state" label={texts.state} data={STATES} />
      <FilterSelect name="type" label={texts.type} data={TYPES} />
      <FilterSelect name="scope" label={texts.scope} data={scopes} />
    </div>
  )
}
