import { Copy } from './copy.tsx'
import { QuietLink } from './text-link.tsx'

/** How many characters of the end are shown. The beginning of an id is a time, so ids made together begin alike. */
const END = 6

type Props = {
  readonly id: string
  readonly what: string
  /** The page of the object. */
  readonly href?: string
}

/** An id, shown as its kind and its end. The whole id is selected, read out and copied. */
export function ShortId({ id, what, href }: Props) {
  const shown = <ShownId id={id} />
  return (
    <span className="copyable">
      {href === undefined ? shown : <QuietLink href={href}>{shown}</QuietLink>}
      <Copy text={id} what={what} />
    </span>
  )
}

/** The same without a button that copies it. */
export const ShownId = ({ id }: Pick<Props, 'id'>) => (
  <code className="short-id" title={id}>
    <span>{id.slice(0, -END)}</span>
    <span>{id.slice(-END)}</span>
  </code>
)
