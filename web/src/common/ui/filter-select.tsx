import { NativeSelect, type NativeSelectProps } from '@mantine/core'
import { useUrlFilters } from '../session/url-filters.ts'
import { chipProps } from './filter-chip.tsx'

type Props = {
  /** Of the filter in the URL. */
  readonly name: string
  readonly label: string
  /** The choice of the empty value does not narrow the list. */
  readonly data: NonNullable<NativeSelectProps['data']>
  /** Takes the choice instead of the URL. */
  readonly onChoose?: (value: string) => void
}

/** A filter that is chosen from a list. While it is set it is a chip. */
export function FilterSelect({ name, label, data, onChoose }: Props) {
  const { get, set } = useUrlFilters()
  const value = get(name)
  const choose = onChoose ?? ((chosen: string) => set({ [name]: chosen }))
  return (
    <NativeSelect
      label={label}
      data={data}
      value={value}
      onChange={(event) => choose(event.currentTarget.value)}
      {...chipProps(value !== '', { label, onRemove: () => choose('') })}
    />
  )
}
