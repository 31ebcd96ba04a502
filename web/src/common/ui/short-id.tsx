import { Copy } from './copy.tsx'
import { QuietLink } from './text-link.tsx'

/** How many characters of the end are shown. The beginning of an id is its time, which neighbours share. */
const END = 6

type Props = {
  readonly id: string
  readonly what: string
  /** Where the page of what it names is. */
  readonly href?: string
}

/** An id that shows its kind and its end; the whole of it is what is selected, read out and copied. */
export function ShortId({ id, what, href }: Props) {
  const shown = <ShownId id={id} />
  return (
    <span className="copyable">
      {href === undefined ? shown : <QuietLink href={href}>{shown}</QuietLink>}
      <Copy text={id} what={what} />
    </span>
  )
}

/** The id without a way to copy it. */
export const ShownId = ({ id }: Pick<Props, 'id'>) => (
  <code className="short-id" title={id}>
    <span>{id.slice(0, -END)}</span>
    <span>{id.slice(-END)}</span>
  </code>
)
