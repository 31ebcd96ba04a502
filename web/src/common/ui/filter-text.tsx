import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useUrlFilters } from '../session/url-filters.ts'
import { chipProps } from './filter-chip.tsx'

/** How long typing must pause before the list is read, in milliseconds. */
const TYPING_PAUSE_MS = 300

type Props = {
  /** The name of the filter in the URL. */
  readonly name: string
  readonly label: string
  readonly placeholder: string
  readonly maxLength: number
  /** Filters that a change of this filter removes, such as the page. */
  readonly removes?: readonly string[]
}

/** A filter that is typed. The list changes once typing pauses. If the URL loses the filter, the text is cleared too. */
export function FilterText({ name, label, placeholder, maxLength, removes = [] }: Props) {
  const { get, set } = useUrlFilters()
  const value = get(name)
  const [text, setText] = useState(value)
  const [seen, setSeen] = useState(value)
  if (value !== seen) {
    setSeen(value)
    if (value !== text.trim()) setText(value)
  }
  const search = useDebouncedCallback(
    (typed: string) =>
      set({ ...Object.fromEntries(removes.map((each) => [each, ''])), [name]: typed.trim() }),
    TYPING_PAUSE_MS,
  )
  const type = (typed: string) => {
    setText(typed)
    search(typed)
  }
  return (
    <TextInput
      label={label}
      placeholder={placeholder}
      maxLength={maxLength}
      value={text}
      onChange={(event) => type(event.currentTarget.value)}
      {...chipProps(value !== '', { label, onRemove: () => type('') })}
    />
  )
}
