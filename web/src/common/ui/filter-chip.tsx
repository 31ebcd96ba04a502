import { CloseButton } from '@mantine/core'
import { texts } from './texts.ts'

type Props = { readonly label: string; readonly onRemove: () => void }

/** What makes the field of a filter a chip while it is set: tinted, with a button that removes the filter. */
export const chipProps = (isSet: boolean, props: Props) =>
  isSet
    ? {
        'data-chip': true,
        rightSection: <FilterRemoval {...props} />,
        rightSectionPointerEvents: 'all' as const,
      }
    : {}

/** Removes a filter that is set. It leaves with the filter, so the focus goes to the filter's field. */
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
