import { CloseButton } from '@mantine/core'
import { texts } from './texts.ts'

/** Removes a filter that is set. It leaves with the filter, so the focus goes to the filter's field. */
export const FilterRemoval = ({ label, onRemove }: { label: string; onRemove: () => void }) => (
  <CloseButton
    size="sm"
    className="filter-removal"
    onClick={(event) => {
      const field = event.currentTarget.closest('.mantine-InputWrapper-root')
      field?.querySelector<HTMLElement>('input, select')?.focus()
      onRemove()
    }}
  >
    <span className="visually-hidden">{texts.removeFilter({ label })}</span>
  </CloseButton>
)
