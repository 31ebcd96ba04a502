import { Copy } from './copy.tsx'

/** How many characters of the end are shown. The beginning of an id is its time, which neighbours share. */
const END = 6

type Props = { readonly id: string; readonly what: string }

/** An id that shows its kind and its end; the whole of it is what is selected, read out and copied. */
export function ShortId({ id, what }: Props) {
  return (
    <span className="copyable">
      <code className="short-id" title={id}>
        <span>{id.slice(0, -END)}</span>
        <span>{id.slice(-END)}</span>
      </code>
      <Copy text={id} what={what} />
    </span>
  )
}
