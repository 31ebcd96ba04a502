import { CloseButton } from '@mantine/core'
import { texts } from './texts.ts'

type Props = { readonly label: string; readonly onRemove: () => void }

/** Props that turn the field of a filter into a chip while the filter is set: a colour, and a button that removes the filter. */
export const chipProps = (isSet: boolean, props: Props) =>
  isSet
    ? {
        'data-chip': true,
        rightSection: <FilterRemoval {...props} />,
        rightSectionPointerEvents: 'all' as const,
      }
    : {}

/** The button that removes a filter. It disappears with the filter, so the filter's field gets the focus. */
const FilterRemoval = ({ label, onRemove }: Props) => (
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
