import { NativeSelect, type NativeSelectProps } from '@mantine/core'
import { useUrlFilters } from '../session/url-filters.ts'
import { chipProps } from './filter-chip.tsx'

type Props = {
  /** The name of the filter in the URL. */
  readonly name: string
  readonly label: string
  /** The choices. The one with the empty value does not narrow the list. */
  readonly data: NonNullable<NativeSelectProps['data']>
  /** Called with the choice. If absent, the choice goes into the URL. */
  readonly onChoose?: (value: string) => void
}

/** A filter that is chosen from a list. While it is set, it looks like a chip. */
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
