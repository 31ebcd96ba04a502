import { Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  /** Of the heading, once in the page. */
  readonly id: string
  readonly title: ReactNode
  /** What the group is about, in one line. */
  readonly note?: ReactNode
  /** Before the title: an icon in a tile. */
  readonly icon?: ReactNode
  /** At the right of the title: a state, or what can be done with the whole group. */
  readonly action?: ReactNode
  /** A list of facts or a table, which reach its edges; or what has `card-body`, and below it `card-foot` for its buttons. */
  readonly children?: ReactNode
}

/** A group of settings, or of what belongs together on a page to read: title, note, action, and what it has. */
export const Card = ({ id, title, note, icon, action, children }: Props) => (
  <section aria-labelledby={id} className="panel card">
    <div className="card-head">
      {icon}
      <div>
        <Title order={2} size="h3" id={id}>
          {title}
        </Title>
        {note !== undefined && <div className="quiet">{note}</div>}
      </div>
      {action}
    </div>
    {children}
  </section>
)
