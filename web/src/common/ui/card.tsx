import { Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  /** The id of the heading, unique in the page. */
  readonly id: string
  readonly title: ReactNode
  /** One line that explains the group. */
  readonly note?: ReactNode
  /** An icon before the title. */
  readonly icon?: ReactNode
  /** Shown at the right of the title: a state, or actions for the whole group. */
  readonly action?: ReactNode
  /**
   * A list of facts or a table, which fill the card to its edges. Other content needs the class `card-body`, and its buttons
   * `card-foot`.
   */
  readonly children?: ReactNode
}

/** A group of settings or of related facts: title, note, actions and content. */
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
